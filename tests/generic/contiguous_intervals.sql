{% test contiguous_intervals(model, unique_key, column_names={}) %}

{%- set history = scd2_master._tested_history(
    'contiguous_intervals', model, {'unique_key': unique_key, 'column_names': column_names}
) %}
{%- set previous_valid_from = scd2_master._added_name(history, 'previous_valid_from') %}
{%- set previous_valid_to = scd2_master._added_name(history, 'previous_valid_to') %}
{%- set version_number = scd2_master._added_name(history, 'version_number') %}
{%- set columns = history.unique_key + [history.valid_from, history.valid_to] %}

with versions as (
    select
        {{ columns | join(',\n        ') }},
        {{ scd2_master._previous(history, history.bounds[0]) }} as {{ previous_valid_from }},
        {{ scd2_master._previous(history, history.bounds[1]) }} as {{ previous_valid_to }},
        row_number() over (
            {{ scd2_master._key_history(history) }}
        ) as {{ version_number }}
    from {{ model }}
),

validation_errors as (
    select
        {{ (columns + [previous_valid_from, previous_valid_to]) | join(',\n        ') }}
    from versions
    where
        {{ version_number }} > 1
        and (
            {{ history.valid_from }} is null
            or {{ previous_valid_to }} is null
            or {{ history.bounds[0] }} <> {{ previous_valid_to }}
        )
)

select * from validation_errors

{% endtest %}
