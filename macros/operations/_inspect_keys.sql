{#
    The sets of up to three columns that are unique and without nulls, the likeliest first, without those that contain another. Bounded: of the
    twelve likeliest columns, up to 30 pairs and 30 triples, one query each. {'keys', 'untried' (how many were left out), 'nearest'}.
#}
{% macro _search_keys(relation, source) -%}
    {%- set search = {'keys': [], 'untried': 0, 'nearest': none} -%}
    {%- set candidates = [] -%}
    {%- for column in source.columns | sort(attribute='rank') if column.fits_key and column.nulls == 0 and source.rows > 0 -%}
        {%- if column.distinct == source.rows -%}
            {%- do search['keys'].append([column]) -%}
        {%- else -%}
            {%- do candidates.append(column) if column.distinct > 1 -%}
            {%- do scd2_master._note_repeated(search, [column], source.rows - column.distinct) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for size in [2, 3] -%}
        {%- set column_sets = scd2_master._column_sets(candidates[:12], size, source.rows, search['keys']) -%}
        {%- do search.update({'untried': search.untried + [column_sets | length - 30, 0] | max}) -%}
        {%- do scd2_master._try_column_sets(relation, source, column_sets[:30], search) -%}
    {%- endfor -%}
    {{ return(dict(search, untried=search.untried or candidates | length > 12)) }}
{%- endmacro %}


{# Sets of `size` columns that have enough values between them and contain no key, those of the first columns first. #}
{% macro _column_sets(candidates, size, rows, keys) -%}
    {%- set column_sets = [] -%}
    {%- for first in range(candidates | length) -%}
        {%- for second in range(first + 1, candidates | length) -%}
            {%- for third in (range(second + 1, candidates | length) if size == 3 else [none]) -%}
                {%- set places = [first, second] + ([] if third is none else [third]) -%}
                {%- set columns = [candidates[first], candidates[second]] + ([] if third is none else [candidates[third]]) -%}
                {%- set values = columns[0].distinct * columns[1].distinct * (columns[2].distinct if third is not none else 1) -%}
                {%- if values >= rows and not scd2_master._contains_key(columns, keys) -%}
                    {%- do column_sets.append({'columns': columns, 'places': places | sum}) -%}
                {%- endif -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(column_sets | sort(attribute='places') | map(attribute='columns') | list) }}
{%- endmacro %}


{% macro _contains_key(columns, keys) -%}
    {%- for key in keys if key | reject('in', columns) | list | length == 0 -%}
        {{ return(true) }}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{% macro _try_column_sets(relation, source, column_sets, search) -%}
    {%- for row in (run_query(scd2_master._column_sets_sql(relation, column_sets)).rows if column_sets else []) -%}
        {%- set columns = column_sets[row['set_number'] | int] -%}
        {%- set repeated = source.rows - row['distinct_rows'] | int -%}
        {%- if repeated == 0 -%}
            {%- do search['keys'].append(columns) -%}
        {%- endif -%}
        {%- do scd2_master._note_repeated(search, columns, repeated) -%}
    {%- endfor -%}
{%- endmacro %}


{% macro _note_repeated(search, columns, repeated) -%}
    {%- if search.nearest is none or repeated < search.nearest.repeated -%}
        {%- do search.update({'nearest': {'columns': columns, 'repeated': repeated}}) -%}
    {%- endif -%}
{%- endmacro %}


{% macro _column_sets_sql(relation, column_sets) -%}
{%- for columns in column_sets %}
select
    {{ loop.index0 }} as set_number,
    count(*) as distinct_rows
from (
    select distinct
        {{ columns | map(attribute='sql') | join(',\n        ') }}
    from {{ relation }} as src
) as found
{{ 'union all' if not loop.last }}
{%- endfor %}
order by set_number
{%- endmacro %}
