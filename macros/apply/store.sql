{#
    Stores a query as the table, in the open transaction: into the existing one on engines where that has to stay, else under a
    name of its own that is swapped in.
#}
{% macro store(scd2, query, existing_relation, intermediate_relation, target_relation) -%}
    {%- if not scd2_master.refill(scd2, existing_relation, query) -%}
        {%- call statement('main') -%}
            {{ scd2_master.create_history_as(scd2, intermediate_relation, query) }}
        {%- endcall -%}
        {%- do scd2_master.swap(existing_relation, intermediate_relation, target_relation) -%}
        {%- do create_indexes(target_relation) -%}
    {%- endif -%}
{%- endmacro %}
