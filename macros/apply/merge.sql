{# Strategy merge: writes the changes into the own table, if there are any. #}
{% macro merge(scd2, layout, changes, counts, target_relation) -%}
    {%- if scd2.contract.enforced -%}
        {{ get_assert_columns_equivalent('select * from ' ~ target_relation) }}
    {%- endif -%}
    {%- if counts.writes -%}
        {%- call statement('main') -%}
            {{ scd2_master.write_changes_sql(scd2, layout, changes, target_relation) }}
        {%- endcall -%}
    {%- endif -%}
{%- endmacro %}
