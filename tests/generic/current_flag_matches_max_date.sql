{% test current_flag_matches_max_date(model, unique_key, max_date='9999-12-31', column_names={}) %}

{%- set history = scd2_master._tested_history(
    'current_flag_matches_max_date',
    model,
    {'unique_key': unique_key, 'max_date': max_date, 'column_names': column_names},
    with_flag=true
) %}
{%- set flag = 'cast(' ~ history.is_current ~ ' as ' ~ dbt.type_int() ~ ')' %}

with versions as (
    select
        {{ (history.unique_key + [history.valid_from, history.valid_to, history.is_current]) | join(',\n        ') }}
    from {{ model }}
),

validation_errors as (
    select *
    from versions
    where
        case
            when {{ flag }} = 1 and {{ history.instants.valid_to }} = {{ history.max_date }} then 0
            when {{ flag }} = 0 and {{ history.instants.valid_to }} <> {{ history.max_date }} then 0
            else 1
        end = 1
)

select * from validation_errors

{% endtest %}
