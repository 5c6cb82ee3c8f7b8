{#
    The versions to draw, in the order of keys and time: the key and the labels as text, the interval as text. Bounded: the keys that were
    asked for, else the first eleven; of a key the newest 100 versions.
#}
{% macro _timeline_sql(history) -%}
    {%- set key = scd2_master._quoted(history.key | map(attribute='name'), 'hist.') -%}
    {%- set labels = scd2_master._quoted(history.labels | map(attribute='name'), 'hist.') -%}
    {%- set start, end = history.valid_from.sql, history.valid_to.sql -%}
with
{%- if history.wanted is none %} first_keys as (
    select distinct
        {{ scd2_master._aliased(key, 'k') }}
    from {{ history.relation }} as hist
    order by {{ scd2_master._numbered('k', key) | join(', ') }}
    limit 11
),

{% endif %} versions as (
    select
        {{ scd2_master._aliased(key + labels, 'c', as_text=true) }},
        {{ scd2_master.as_text(start) }} as valid_from,
        {{ scd2_master.as_text(end) }} as valid_to,
        dense_rank() over (order by {{ key | join(', ') }}) as key_rank,
        count(*) over (partition by {{ key | join(', ') }}) as versions,
        row_number() over (
            partition by {{ key | join(', ') }}
            order by {{ start }} desc nulls last, {{ end }} desc nulls first
        ) as age
    from {{ history.relation }} as hist
    {%- if history.wanted is none %}
    inner join first_keys
        on
        {%- for column in key %}
            {{ 'and ' if not loop.first }}{{ column }} is not distinct from first_keys.k{{ loop.index }}
        {%- endfor %}
    {%- else %}
    where
        {%- for values in history.wanted or [[]] %}
        {{ 'or ' if not loop.first }}({{ scd2_master._has_key(key, values) }})
        {%- endfor %}
    {%- endif %}
)

select
    {{ scd2_master._numbered('versions.c', key + labels) | join(',\n    ') }},
    versions.valid_from,
    versions.valid_to,
    versions.key_rank,
    versions.versions
from versions
where versions.age <= 100
order by versions.key_rank asc, versions.age desc
{%- endmacro %}


{# Expressions as c1, c2, ... on lines of their own. #}
{% macro _aliased(expressions, letter, as_text=false) -%}
    {%- set lines = [] -%}
    {%- for expression in expressions -%}
        {%- do lines.append((scd2_master.as_text(expression) if as_text else expression) ~ ' as ' ~ letter ~ loop.index) -%}
    {%- endfor -%}
    {{ return(lines | join(',\n        ')) }}
{%- endmacro %}


{# A key is compared as text: whatever its type, it is found as it is shown. #}
{% macro _has_key(key, values) -%}
    {%- set conditions = ['1 = 0'] if not values else [] -%}
    {%- for value in values -%}
        {%- do conditions.append(
            key[loop.index0] ~ ' is null' if value is none
            else scd2_master.as_text(key[loop.index0]) ~ ' = ' ~ dbt.string_literal(dbt.escape_single_quotes(value))
        ) -%}
    {%- endfor -%}
    {{ return(conditions | join(' and ')) }}
{%- endmacro %}
