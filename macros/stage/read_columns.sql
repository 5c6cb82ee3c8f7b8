{# The columns of a relation, in order: [{'name', 'type'}]; none without a relation. #}
{% macro read_columns(relation) -%}
    {%- if not relation -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set columns = [] -%}
    {%- for column in adapter.get_columns_in_relation(relation) -%}
        {%- do columns.append({'name': column.name, 'type': scd2_master.column_type(column)}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}
