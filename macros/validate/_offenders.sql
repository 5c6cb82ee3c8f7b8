{#
    Keys of the source that are null or occur twice, and versions of the prior that break an SCD-2 history, in one query
    that returns up to five offenders for each reason.
#}
{% macro _offending_rows(scd2, layout, staging, prior_relation, facts) -%}
    {%- set rows = run_query(scd2_master._offenders_sql(scd2, layout, staging, prior_relation, facts.date_sql)) -%}
    {%- set findings = [] -%}
    {%- for reason, group in rows | groupby('reason') -%}
        {%- do findings.append(scd2_master._offence(scd2, prior_relation, reason, scd2_master._listed(group))) -%}
    {%- endfor -%}
    {{ return(findings) }}
{%- endmacro %}


{% macro _offence(scd2, prior_relation, reason, offenders) -%}
    {%- set key = 'unique_key (' ~ scd2.unique_key | join(', ') ~ ')' -%}
    {%- set prior = prior_relation | string -%}
    {%- set max_date = scd2_master._boundary_text(scd2.max_date) -%}
    {%- set repair = ['prior_corrupt', 'Repair that table, or start from another prior_relation'] -%}
    {%- set slug, remedy, what = {
        'null_key': ['null_key', 'Filter or complete these rows', 'a part of ' ~ key ~ ' is null'],
        'duplicate_key': [
            'duplicate_key', 'Make the SELECT return one row per business key', key ~ ' occurs more than once'
        ] if scd2.input_kind == 'snapshot' else [
            'duplicate_key', 'Make the SELECT return one row per business key and date',
            key ~ ' occurs more than once at one ' ~ scd2.effective_date_column
        ],
        'max_date': [
            'prior_max_date_mismatch', 'Set max_date to what the table has',
            'open versions of ' ~ prior ~ ' do not end at max_date ' ~ max_date
        ],
        'several_open': repair + ['keys of ' ~ prior ~ ' have more than one open version'],
        'flag': repair + ['versions of ' ~ prior ~ ' have a current flag that is neither true nor false'],
        'key': repair + ['versions of ' ~ prior ~ ' have a null in ' ~ key],
        'start': repair + ['versions of ' ~ prior ~ ' have no valid_from'],
        'inverted': repair + ['versions of ' ~ prior ~ ' end before they begin'],
        'closed': repair + ['closed versions of ' ~ prior ~ ' end at max_date ' ~ max_date ~ ', or at null'],
    }[reason] -%}
    {{ return(scd2_master._finding(slug, what ~ ': ' ~ offenders, remedy)) }}
{%- endmacro %}


{# Without `staging` only the prior is looked at, and without `prior_relation` only the source. #}
{% macro _offenders_sql(scd2, layout, staging, prior_relation, date_sql=none) -%}
with offenders as (
    {%- if staging %}
    {{ scd2_master._source_offenders_sql(scd2, layout, staging, date_sql) }}
    {%- endif %}
    {%- if staging and prior_relation %}
    union all
    {%- endif %}
    {%- if prior_relation %}
    {{ scd2_master._prior_offenders_sql(scd2, layout, prior_relation) }}
    {%- endif %}
),

{{ scd2_master._worst_offenders_sql() }}
{%- endmacro %}


{# The end of a query with a CTE `offenders` (reason, offender, n): the first five for each reason. #}
{% macro _worst_offenders_sql() -%}
ranked as (
    select
        reason,
        offender,
        n,
        row_number() over (partition by reason order by n desc, offender asc) as place,
        count(*) over (partition by reason) as total
    from offenders
)

select
    reason,
    offender,
    n,
    total
from ranked
where place <= 5
order by reason, place
{%- endmacro %}


{% macro _source_offenders_sql(scd2, layout, staging, date_sql) -%}
    {%- set key = layout.key | map(attribute='incoming') | list -%}
    {%- set key_and_date = key + ([date_sql.value] if date_sql and scd2.input_kind != 'snapshot' else []) -%}
    {#- rows whose dates cannot be read cannot be told apart either -#}
    {%- set is_double = 'count(*) > 1 or ' if date_sql or scd2.input_kind == 'snapshot' else '' -%}
    select
        case when {{ scd2_master._any_null(layout.key, 'incoming') }} then 'null_key' else 'duplicate_key' end as reason,
        {{ scd2_master._key_text(key) }}{{ " || ' at ' || " ~ scd2_master.as_text(date_sql.value) if key_and_date != key }} as offender,
        count(*) as n
    from {{ staging }} as src
    group by {{ key_and_date | join(', ') }}
    having {{ is_double }}{{ scd2_master._any_null(layout.key, 'incoming') }}
{%- endmacro %}


{% macro _prior_offenders_sql(scd2, layout, prior_relation) -%}
    {%- set is_open = layout.is_current.recorded_sql -%}
    {%- set valid_to = layout.valid_to.recorded_sql -%}
    {%- set max_date = scd2_master.boundary_literal(scd2.max_date, scd2.validity_type) -%}
    {%- set is_other_end = 'not coalesce(' ~ valid_to ~ ' = ' ~ max_date ~ ', false)' -%}
    {%- set key_text = scd2_master._key_text(layout.key | map(attribute='recorded_sql') | list) -%}
    select
        'several_open' as reason,
        {{ key_text }} as offender,
        count(*) as n
    from {{ prior_relation }} as hist
    where {{ is_open }}
    group by {{ layout.key | map(attribute='recorded_sql') | join(', ') }}
    having count(*) > 1
    union all
    select
        reason,
        offender,
        count(*) as n
    from (
        select
            case
                when not {{ scd2_master._flag_is_valid(layout.is_current) }} then 'flag'
                when {{ scd2_master._any_null(layout.key, 'recorded_sql') }} then 'key'
                when {{ layout.valid_from.recorded_sql }} is null then 'start'
                when {{ is_open }} and {{ is_other_end }} then 'max_date'
                when {{ layout.valid_from.recorded_sql }} > {{ valid_to }} then 'inverted'
                when not ({{ is_open }}) and coalesce({{ valid_to }}, {{ max_date }}) = {{ max_date }} then 'closed'
            end as reason,
            case
                when {{ is_open }} and {{ is_other_end }}
                    then coalesce({{ scd2_master.as_text(valid_to) }}, 'null')
                else {{ key_text }}
            end as offender
        from {{ prior_relation }} as hist
    ) as versions
    where reason is not null
    group by reason, offender
{%- endmacro %}


{% macro _any_null(columns, attribute) -%}
    {%- set conditions = [] -%}
    {%- for column in columns -%}
        {%- do conditions.append(column[attribute] ~ ' is null') -%}
    {%- endfor -%}
    {{ return('(' ~ conditions | join(' or ') ~ ')') }}
{%- endmacro %}


{% macro _flag_is_valid(column) -%}
    {%- set flag = 'hist.' ~ scd2_master.quote_name(column.recorded.name) -%}
    {%- if scd2_master._flag_type(column.recorded.type) == 'boolean' -%}
        {{ return('(' ~ flag ~ ' is not null)') }}
    {%- endif -%}
    {{ return('coalesce(' ~ flag ~ ' in (0, 1), false)') }}
{%- endmacro %}


{# A business key as people read it: C1, or (C1, null) where it has several parts. #}
{% macro _key_text(expressions) -%}
    {%- set parts = [] -%}
    {%- for expression in expressions -%}
        {%- do parts.append('coalesce(' ~ scd2_master.as_text(expression) ~ ", 'null')") -%}
    {%- endfor -%}
    {{ return(parts[0] if parts | length == 1 else "'(' || " ~ parts | join(" || ', ' || ") ~ " || ')'") }}
{%- endmacro %}


{# Rows (offender, n, total) as 'C1 (2 rows), C2 (3 rows) and 4 more'. #}
{% macro _listed(rows) -%}
    {%- set texts = [] -%}
    {%- set more = namespace(count=0) -%}
    {%- for row in rows -%}
        {%- do texts.append(row['offender'] ~ ' (' ~ row['n'] ~ (' row)' if row['n'] == 1 else ' rows)')) -%}
        {%- set more.count = row['total'] - loop.index -%}
    {%- endfor -%}
    {{ return(texts | join(', ') ~ (' and ' ~ more.count ~ ' more' if more.count > 0 else '')) }}
{%- endmacro %}
