{# Strategy rebuild: stores the whole new history under a name of its own and swaps it in. #}
{% macro rebuild(scd2, layout, changes, prior_relation, existing_relation, intermediate_relation, target_relation) -%}
    {%- call statement('main') -%}
        {{ scd2_master.create_history_as(
            scd2, intermediate_relation, scd2_master.rebuild_sql(scd2, layout, changes, prior_relation)
        ) }}
    {%- endcall -%}
    {%- do scd2_master.swap(existing_relation, intermediate_relation, target_relation) -%}
    {%- do create_indexes(target_relation) -%}
{%- endmacro %}
