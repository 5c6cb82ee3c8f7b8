{# Key equality between two relations of aliased columns; `right` none stands for the prior itself. #}
{% macro _same_key(layout, left, right) -%}
    {%- set equalities = [] -%}
    {%- for column in layout.key -%}
        {%- set other = column.recorded_sql if right is none else right ~ '.' ~ column.alias -%}
        {%- do equalities.append(left ~ '.' ~ column.alias ~ ' = ' ~ other) -%}
    {%- endfor -%}
    {{ return(equalities | join(' and ')) }}
{%- endmacro %}


{% macro _aliases(columns, relation_alias) -%}
    {%- set names = [] -%}
    {%- for column in columns -%}
        {%- do names.append(relation_alias ~ '.' ~ column.alias) -%}
    {%- endfor -%}
    {{ return(names | join(', ')) }}
{%- endmacro %}
