{# Key equality between two relations of aliased columns; `left` none stands for the prior itself. #}
{% macro _same_key(layout, left, right) -%}
    {%- set equalities = [] -%}
    {%- for column in layout.key -%}
        {%- set one = column.recorded_sql if left is none else left ~ '.' ~ column.alias -%}
        {%- do equalities.append(one ~ ' = ' ~ right ~ '.' ~ column.alias) -%}
    {%- endfor -%}
    {{ return(equalities | join(' and ')) }}
{%- endmacro %}


{# The columns' aliases as a select list, one a line. #}
{% macro _aliases(columns, relation_alias, indent=4) -%}
    {%- set names = [] -%}
    {%- for column in columns -%}
        {%- do names.append(relation_alias ~ '.' ~ column.alias) -%}
    {%- endfor -%}
    {{ return(names | join(',\n' ~ ' ' * indent)) }}
{%- endmacro %}
