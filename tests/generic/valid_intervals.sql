{% test valid_intervals(model, unique_key, column_names={}) %}

{%- set history = scd2_master._tested_history(
    'valid_intervals', model, {'unique_key': unique_key, 'column_names': column_names}
) %}

with versions as (
    select
        {{ (history.unique_key + [history.valid_from, history.valid_to]) | join(',\n        ') }}
    from {{ model }}
),

validation_errors as (
    select *
    from versions
    where
        {{ history.valid_from }} is null
        or {{ history.valid_to }} is null
        or {{ history.bounds[0] }} >= {{ history.bounds[1] }}
)

select * from validation_errors

{% endtest %}
