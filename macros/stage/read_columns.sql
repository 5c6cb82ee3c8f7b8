{# The columns of a relation, in order: [{'name', 'type'}]; an empty list without a relation. #}
{% macro read_columns(relation) -%}
    {%- set columns = [] -%}
    {%- for column in (adapter.get_columns_in_relation(relation) if relation else []) -%}
        {%- do columns.append({'name': column.name, 'type': scd2_master.column_type(column)}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}
