{#
    The columns of a key in two tables, {'left', 'right'}: one name or a list where they bear the same names, a mapping from the left
    one's to the right one's where they do not.
#}
{% macro _key_sides(argument, key, findings) -%}
    {%- set sides = [key | list, key.values() | list] if key is mapping else [key, key] -%}
    {%- if key is undefined or key in [none, '', [], {}] -%}
        {%- do findings.append(scd2_master._finding(
            'missing_unique_key', argument ~ ' is not set, or empty', 'Name the columns that the two tables have in common'
        )) -%}
    {%- elif not scd2_master._fits(sides[0], 'name or list') or not scd2_master._fits(sides[1], 'name or list') -%}
        {%- set allowed = "a column name, a list of column names, or a mapping of one table's columns to the other's" -%}
        {%- do findings.append(scd2_master._invalid_argument(argument, key, allowed)) -%}
    {%- else -%}
        {{ return({'left': scd2_master._as_list(sides[0]), 'right': scd2_master._as_list(sides[1])}) }}
    {%- endif -%}
    {{ return({'left': [], 'right': []}) }}
{%- endmacro %}


{# Quoted columns as those of one table of a query. #}
{% macro _of(table, columns) -%}
    {%- set qualified = [] -%}
    {%- for column in columns -%}
        {%- do qualified.append(table ~ '.' ~ column) -%}
    {%- endfor -%}
    {{ return(qualified) }}
{%- endmacro %}


{% macro _with_prefix(names, prefix) -%}
    {%- set prefixed = [] -%}
    {%- for name in names -%}
        {%- do prefixed.append(prefix ~ name) -%}
    {%- endfor -%}
    {{ return(prefixed) }}
{%- endmacro %}


{# Those of the `added` output names that are not unique, whatever their case. #}
{% macro _doubled_outputs(names, added) -%}
    {%- set lowered = (names + added) | map('lower') | list -%}
    {%- set doubled = [] -%}
    {%- for name in added | unique if lowered.count(name | lower) > 1 -%}
        {%- do doubled.append(name) -%}
    {%- endfor -%}
    {{ return(doubled) }}
{%- endmacro %}


{# Conditions that expressions are equal, one by one. #}
{% macro _equal(left, right) -%}
    {%- set equalities = [] -%}
    {%- for expression in left -%}
        {%- do equalities.append(expression ~ ' = ' ~ right[loop.index0]) -%}
    {%- endfor -%}
    {{ return(equalities) }}
{%- endmacro %}
