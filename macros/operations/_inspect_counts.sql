{#
    {'rows', 'columns'}: with each column its type, nulls, distinct values, `rank` (how much its name looks like a key's: 0 most), whether a key
    can have its type (`fits_key`), and `dates`: {'first', 'last', 'usable'} of a date or timestamp, else none. One query.
#}
{% macro _count_values(table) -%}
    {%- set columns = [] -%}
    {%- for column in table.columns -%}
        {%- set sql = 'src.' ~ scd2_master.quote_name(column.name) -%}
        {%- do columns.append(dict(column, sql=sql, date_sql=scd2_master.effective_date_sql(
            sql, column.type, 'timestamp', scd2_master._timezone([])
        ))) -%}
    {%- endfor -%}
    {%- set counts = (run_query(scd2_master._value_counts_sql(table.relation, columns)).rows | first).values() | list -%}
    {%- set source = {'rows': counts[0] | int, 'columns': columns} -%}
    {%- for column in columns -%}
        {%- set filled, distinct, usable, first, last = counts[1 + 5 * loop.index0:6 + 5 * loop.index0] -%}
        {%- set is_technical = scd2_master._is_technical(column.name) -%}
        {%- set is_id = modules.re.search('(?i)(^|[^a-z])(id|key|code|no|nr|num|number|uuid|guid)$|[a-z](Id|Key|Code|No|Nr)$', column.name) -%}
        {%- do column.update({
            'nulls': source.rows - filled | int, 'distinct': distinct | int,
            'rank': 3 if is_technical else (0 if is_id else (1 if column.date_sql else 2)),
            'fits_key': scd2_master._is_key_type(column.type),
            'dates': {'first': first, 'last': last, 'usable': usable | int == source.rows} if column.date_sql else none,
        }) -%}
    {%- endfor -%}
    {{ return(source) }}
{%- endmacro %}


{# Five values per column: rows with a value, distinct values, and of dates how many can be effective dates, the first and the last. #}
{% macro _value_counts_sql(relation, columns) -%}
    {%- set max_date = scd2_master.boundary_literal('9999-12-31', 'timestamp') -%}
    {%- set lines = ['count(*) as n'] -%}
    {%- for column in columns -%}
        {%- set usable, first, last = ['0', 'null', 'null'] -%}
        {%- if column.date_sql -%}
            {%- set date = column.date_sql -%}
            {%- set usable = 'count(case when ' ~ date.exact ~ ' and ' ~ date.value ~ ' < ' ~ max_date ~ ' then 1 end)' -%}
            {%- set first = scd2_master.as_text('min(' ~ column.sql ~ ')') -%}
            {%- set last = scd2_master.as_text('max(' ~ column.sql ~ ')') -%}
        {%- endif -%}
        {%- do lines.extend([
            'count(' ~ column.sql ~ ') as filled' ~ loop.index,
            'count(distinct ' ~ scd2_master.comparable(column.sql, column.type) ~ ') as distinct' ~ loop.index,
            usable ~ ' as usable' ~ loop.index, first ~ ' as first' ~ loop.index, last ~ ' as last' ~ loop.index,
        ]) -%}
    {%- endfor -%}
select
    {{ lines | join(',\n    ') }}
from {{ relation }} as src
{%- endmacro %}


{# Text, whole numbers, dates and the like. Fractions, flags and nested values are unique by chance alone. #}
{% macro _is_key_type(type) -%}
    {{ return(modules.re.fullmatch(
        '.*CHAR[A-Z ]*([(][0-9]+[)])?|TEXT|STRING|[A-Z]*INT(EGER|[0-9]+)?|UUID|DATE|DATETIME|TIMESTAMP([(][0-9][)])?[A-Z_ ]*|ENUM[(].*[)]'
        ~ '|(DECIMAL|NUMERIC|NUMBER)([(][0-9]+(, *0)?[)])?', type | upper
    ) is not none) }}
{%- endmacro %}


{# A name that says when or how a row was loaded: neither part of a key nor worth a version. #}
{% macro _is_technical(name) -%}
    {{ return(modules.re.search(
        '(?i)(^|[^a-z])(load|extract|export|import|insert|updat|modif|creat|ingest|sync|batch|etl|dbt|hash|checksum|fivetran|airbyte)',
        name
    ) is not none) }}
{%- endmacro %}
