{% test contained_intervals(model, unique_key, to, foreign_key, column_names={}, to_column_names={}) %}

{%- set pair = scd2_master._tested_pair('contained_intervals', model, to, {
    'unique_key': unique_key, 'foreign_key': foreign_key, 'column_names': column_names, 'to_column_names': to_column_names
}) %}
{%- set child, parent = pair.child, pair.parent %}
{%- set columns = (child.unique_key + child.foreign_key + [child.valid_from, child.valid_to]) | unique(case_sensitive=true) | list %}
{%- set parent_history = scd2_master._key_history(dict(parent, bounds=[parent.valid_from, parent.valid_to])) %}
{%- set both = {'taken': child.taken + parent.taken} %}
{%- set earlier_valid_to = scd2_master._added_name(both, 'earlier_valid_to') %}
{%- set period = scd2_master._added_name(both, 'period') %}
{%- set covered_to = scd2_master._added_name(both, 'covered_to') %}
{%- set covered_again_from = scd2_master._added_name(both, 'covered_again_from') %}
{%- set uncovered_from = scd2_master._added_name(both, 'uncovered_from') %}
{%- set uncovered_to = scd2_master._added_name(both, 'uncovered_to') %}
{%- set period_start, period_end = scd2_master._of('periods', [parent.valid_from, parent.valid_to]) %}
{%- set covers_start = period_start ~ ' <= ' ~ child.instants.valid_from %}

with parent_versions as (
    select
        {{ parent.unique_key | join(',\n        ') }},
        {{ parent.instants.valid_from }} as {{ parent.valid_from }},
        {{ parent.instants.valid_to }} as {{ parent.valid_to }}
    from {{ to }}
    where {{ parent.instants.valid_from }} < {{ parent.instants.valid_to }}
),

ordered_versions as (
    select
        *,
        max({{ parent.valid_to }}) over (
            {{ parent_history }}
            rows between unbounded preceding and 1 preceding
        ) as {{ earlier_valid_to }}
    from parent_versions
),

numbered_versions as (
    select
        *,
        sum(case when {{ parent.valid_from }} <= {{ earlier_valid_to }} then 0 else 1 end) over (
            {{ parent_history }}
            rows unbounded preceding
        ) as {{ period }}
    from ordered_versions
),

periods as (
    select
        {{ parent.unique_key | join(',\n        ') }},
        min({{ parent.valid_from }}) as {{ parent.valid_from }},
        max({{ parent.valid_to }}) as {{ parent.valid_to }}
    from numbered_versions
    group by
        {{ (parent.unique_key + [period]) | join(',\n        ') }}
),

children as (
    select
        {{ columns | join(',\n        ') }}
    from {{ model }}
    where
        {{ child.foreign_key | join(' is not null\n        and ') }} is not null
),

measured_children as (
    select
        {{ scd2_master._of('children', columns) | join(',\n        ') }},
        max(case when {{ covers_start }} then {{ period_end }} end) as {{ covered_to }},
        min(case when not ({{ covers_start }}) then {{ period_start }} end) as {{ covered_again_from }}
    from children
    left join periods
        on
            {{ scd2_master._equal(
                scd2_master._of('children', child.foreign_key), scd2_master._of('periods', parent.unique_key)
            ) | join('\n            and ') }}
    group by
        {{ scd2_master._of('children', columns) | join(',\n        ') }}
),

validation_errors as (
    select
        {{ columns | join(',\n        ') }},
        case
            when {{ covered_to }} > {{ child.instants.valid_from }} then {{ covered_to }}
            else {{ child.instants.valid_from }}
        end as {{ uncovered_from }},
        case
            when {{ covered_again_from }} < {{ child.instants.valid_to }} then {{ covered_again_from }}
            else {{ child.instants.valid_to }}
        end as {{ uncovered_to }}
    from measured_children as children
    where case when {{ covered_to }} >= {{ child.instants.valid_to }} then 0 else 1 end = 1
)

select * from validation_errors

{% endtest %}
