{% test distinct_neighbours(model, unique_key, tracked_columns, column_names={}) %}

{%- set history = scd2_master._tested_history(
    'distinct_neighbours',
    model,
    {'unique_key': unique_key, 'tracked_columns': tracked_columns, 'column_names': column_names}
) %}
{%- set previous_valid_from = scd2_master._added_name(history, 'previous_valid_from') %}
{%- set previous_valid_to = scd2_master._added_name(history, 'previous_valid_to') %}
{%- set columns = history.unique_key + [history.valid_from, history.valid_to] %}

with versions as (
    select
        {{ columns | join(',\n        ') }},
        {%- for value in history.tracked_values %}
        {{ value }} as {{ scd2_master._added_name(history, 'value_' ~ loop.index) }},
        {{ scd2_master._previous(history, value) }} as {{ scd2_master._added_name(history, 'previous_value_' ~ loop.index) }},
        {%- endfor %}
        {{ scd2_master._previous(history, history.bounds[0]) }} as {{ previous_valid_from }},
        {{ scd2_master._previous(history, history.bounds[1]) }} as {{ previous_valid_to }}
    from {{ model }}
),

validation_errors as (
    select
        {{ (columns + [previous_valid_from, previous_valid_to]) | join(',\n        ') }}
    from versions
    where
        {{ history.bounds[0] }} = {{ previous_valid_to }}
        {%- for column in history.tracked_columns %}
        {%- set value = scd2_master._added_name(history, 'value_' ~ loop.index) %}
        {%- set previous_value = scd2_master._added_name(history, 'previous_value_' ~ loop.index) %}
        and ({{ value }} = {{ previous_value }} or ({{ value }} is null and {{ previous_value }} is null))
        {%- endfor %}
)

select * from validation_errors

{% endtest %}
