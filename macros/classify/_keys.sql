{# A column in intermediate SQL: of the prior itself where `relation` is 'hist', else by its alias. #}
{% macro _value_in(relation, column) -%}
    {{ return(column.recorded_sql if relation == 'hist' else relation ~ '.' ~ column.alias) }}
{%- endmacro %}


{# Key equality between two relations. #}
{% macro _same_key(layout, left, right) -%}
    {%- set equalities = [] -%}
    {%- for column in layout.key -%}
        {%- do equalities.append(
            scd2_master._value_in(left, column) ~ ' = ' ~ scd2_master._value_in(right, column)
        ) -%}
    {%- endfor -%}
    {{ return(equalities | join(' and ')) }}
{%- endmacro %}


{# Whether any of the columns differs, null-safe, column by column. `prefix` stands before the aliases on the right. #}
{% macro _differ(columns, left, right, prefix='') -%}
    {%- set differences = [] -%}
    {%- for column in columns -%}
        {%- do differences.append(
            scd2_master.comparable(scd2_master._value_in(left, column), column.type) ~ ' is distinct from '
            ~ scd2_master.comparable(right ~ '.' ~ prefix ~ column.alias, column.type)
        ) -%}
    {%- endfor -%}
    {{ return('(' ~ differences | join(' or ') ~ ')') }}
{%- endmacro %}


{# Keys are never null in either relation: a null key is what the other side of an outer join left. #}
{% macro _is_present(relation, layout) -%}
    {{ return(relation ~ '.' ~ layout.key[0].alias ~ ' is not null') }}
{%- endmacro %}


{% macro _is_absent(relation, layout) -%}
    {{ return(relation ~ '.' ~ layout.key[0].alias ~ ' is null') }}
{%- endmacro %}


{# The columns' aliases as a list of expressions. #}
{% macro _aliases(columns, relation, separator=', ') -%}
    {%- set names = [] -%}
    {%- for column in columns -%}
        {%- do names.append(relation ~ '.' ~ column.alias) -%}
    {%- endfor -%}
    {{ return(names | join(separator)) }}
{%- endmacro %}


{# The same as a select list, one a line. #}
{% macro _selected(columns, relation) -%}
    {{ return(scd2_master._aliases(columns, relation, ',\n        ')) }}
{%- endmacro %}


{# Columns of the prior, or of the staging relation, under their aliases. `attribute`: recorded_sql or incoming. #}
{% macro _under_aliases(columns, attribute) -%}
    {%- set parts = [] -%}
    {%- for column in columns -%}
        {%- do parts.append(column[attribute] ~ ' as ' ~ column.alias) -%}
    {%- endfor -%}
    {{ return(parts | join(',\n        ')) }}
{%- endmacro %}


{# The columns of these roles, null for the others, as a select list. #}
{% macro _selected_or_null(columns, roles, relation) -%}
    {%- set values = [] -%}
    {%- for column in columns -%}
        {%- do values.append(
            relation ~ '.' ~ column.alias if column.role in roles
            else 'cast(null as ' ~ column.type ~ ') as ' ~ column.alias
        ) -%}
    {%- endfor -%}
    {{ return(values | join(',\n        ')) }}
{%- endmacro %}


{# The order of a key's events, as the inside of `over (...)`. #}
{% macro _in_key_order(layout, relation, direction='asc') -%}
    {{ return(
        'partition by ' ~ scd2_master._aliases(layout.key, relation) ~ ' order by ' ~ relation ~ '.scd2_at ' ~ direction
    ) }}
{%- endmacro %}
