{# A line per column: name, type, nulls and distinct values. #}
{% macro _column_lines(name, source) -%}
    {%- set names = [] -%}
    {%- for column in source.columns -%}
        {%- do names.append(scd2_master._printable(column.name)) -%}
    {%- endfor -%}
    {%- set name_width = scd2_master._column_width(names + ['column'], 34) -%}
    {%- set type_width = scd2_master._column_width(source.columns | map(attribute='type') | list + ['type'], 24) -%}
    {%- set lines = [
        name ~ ': ' ~ scd2_master._counted(source.rows, 'row') ~ ', ' ~ scd2_master._counted(names | length, 'column'), '',
        'column'.ljust(name_width) ~ '  ' ~ 'type'.ljust(type_width) ~ '  %8s  %8s' | format('nulls', 'distinct')
    ] -%}
    {%- for column in source.columns -%}
        {%- do lines.append(
            scd2_master._fitted(names[loop.index0], name_width) ~ '  '
            ~ scd2_master._fitted(scd2_master._printable(column.type), type_width)
            ~ '  %8d  %8d' | format(column.nulls, column.distinct)
        ) -%}
    {%- endfor -%}
    {{ return(lines + ['']) }}
{%- endmacro %}


{% macro _key_lines(source, search) -%}
    {%- if source.rows == 0 -%}
        {{ return(['Business key: the table is empty, so the one below is a guess.', '']) }}
    {%- endif -%}
    {%- set lines = ['Could be the business key, being unique and without nulls:'] -%}
    {%- for columns in search['keys'][:10] -%}
        {%- do lines.append('    ' ~ scd2_master._printable(columns | map(attribute='name') | join(', '))) -%}
    {%- endfor -%}
    {%- if search['keys'] | length > 10 -%}
        {%- do lines.append('    and ' ~ scd2_master._counted(search['keys'] | length - 10, 'set') ~ ' more') -%}
    {%- elif not search['keys'] -%}
        {%- set lines = ['Business key: no set of up to three columns is unique and without nulls.'] -%}
        {%- if search.nearest -%}
            {%- do lines.append(
                'Nearest: ' ~ scd2_master._printable(search.nearest.columns | map(attribute='name') | join(', ')) ~ ', but for '
                ~ scd2_master._counted(search.nearest.repeated, 'row') ~ '.'
            ) -%}
        {%- endif -%}
    {%- endif -%}
    {{ return(lines + (['Only the likeliest sets of two and three columns were tried.'] if search.untried else []) + ['']) }}
{%- endmacro %}


{% macro _date_lines(source) -%}
    {%- set lines = [] -%}
    {%- for column in source.columns if column.dates and column.distinct -%}
        {%- do lines.append(
            '    ' ~ scd2_master._printable(column.name) ~ ': '
            ~ (column.dates.first if column.distinct == 1 else column.dates.first ~ ' to ' ~ column.dates.last)
            ~ (', the same on every row' if column.distinct == 1 and not column.nulls else '')
            ~ ('' if column.dates.usable else ', not on every row' if column.nulls else ', too fine or too late a date')
        ) -%}
    {%- endfor -%}
    {{ return((['Could be an effective date:'] + lines if lines else ['No column could be an effective date.']) + ['']) }}
{%- endmacro %}
