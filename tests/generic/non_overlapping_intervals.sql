{% test non_overlapping_intervals(model, unique_key, column_names={}) %}

{%- set history = scd2_master._tested_history(
    'non_overlapping_intervals', model, {'unique_key': unique_key, 'column_names': column_names}
) %}
{%- set previous_valid_from = scd2_master._added_name(history, 'previous_valid_from') %}
{%- set previous_valid_to = scd2_master._added_name(history, 'previous_valid_to') %}
{%- set earlier_valid_to = scd2_master._added_name(history, 'earlier_valid_to') %}
{%- set earlier_without_end = scd2_master._added_name(history, 'earlier_without_end') %}
{%- set version_number = scd2_master._added_name(history, 'version_number') %}
{%- set columns = history.unique_key + [history.valid_from, history.valid_to] %}
{%- set earlier = 'rows between unbounded preceding and 1 preceding' %}

with versions as (
    select
        {{ columns | join(',\n        ') }},
        {{ scd2_master._previous(history, history.bounds[0]) }} as {{ previous_valid_from }},
        {{ scd2_master._previous(history, history.bounds[1]) }} as {{ previous_valid_to }},
        max({{ history.bounds[1] }}) over (
            {{ scd2_master._key_history(history) }}
            {{ earlier }}
        ) as {{ earlier_valid_to }},
        max(case when {{ history.valid_to }} is null then 1 else 0 end) over (
            {{ scd2_master._key_history(history) }}
            {{ earlier }}
        ) as {{ earlier_without_end }},
        row_number() over (
            {{ scd2_master._key_history(history) }}
        ) as {{ version_number }}
    from {{ model }}
),

validation_errors as (
    select
        {{ (columns + [previous_valid_from, previous_valid_to]) | join(',\n        ') }},
        case when {{ earlier_without_end }} = 0 then {{ earlier_valid_to }} end as {{ earlier_valid_to }}
    from versions
    where
        {{ version_number }} > 1
        and (
            {{ history.valid_from }} is null
            or {{ history.bounds[0] }} = {{ previous_valid_from }}
            or {{ history.bounds[0] }} < {{ earlier_valid_to }}
            or {{ earlier_without_end }} = 1
        )
)

select * from validation_errors

{% endtest %}
