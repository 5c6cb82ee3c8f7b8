{# Strategy rebuild: stores the whole new history. #}
{% macro rebuild(scd2, layout, changes, prior_relation, existing_relation, intermediate_relation, target_relation) -%}
    {%- set query = scd2_master.rebuild_sql(scd2, layout, changes, prior_relation) -%}
    {%- do scd2_master.store(scd2, query, existing_relation, intermediate_relation, target_relation) -%}
{%- endmacro %}
