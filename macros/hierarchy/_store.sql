{# Stores a query as a relation of this run alone and returns it. #}
{% macro _store(target_relation, suffix, query) -%}
    {%- set relation = make_temp_relation(target_relation, '__scd2_' ~ suffix) -%}
    {%- call statement('scd2_' ~ suffix) -%}
        {{ scd2_master.create_staging_as(relation, query) }}
    {%- endcall -%}
    {{ return(relation) }}
{%- endmacro %}
