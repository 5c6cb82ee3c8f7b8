{% test single_current_row(model, unique_key, exactly_one=false, column_names={}) %}

{%- set history = scd2_master._tested_history(
    'single_current_row',
    model,
    {'unique_key': unique_key, 'exactly_one': exactly_one, 'column_names': column_names},
    with_flag=true
) %}
{%- set open_versions = scd2_master._added_name(history, 'open_versions') %}
{%- set columns = history.unique_key + [history.valid_from, history.valid_to, history.is_current] %}
{%- set flag = 'cast(' ~ history.is_current ~ ' as ' ~ dbt.type_int() ~ ')' %}

with versions as (
    select
        {{ columns | join(',\n        ') }},
        sum(case when {{ flag }} = 1 then 1 else 0 end) over (
            partition by {{ history.unique_key | join(', ') }}
        ) as {{ open_versions }}
    from {{ model }}
),

validation_errors as (
    select *
    from versions
    where
        case
            when {{ flag }} = 1 and {{ open_versions }} = 1 then 0
            when {{ flag }} = 0{{ ' and ' ~ open_versions ~ ' > 0' if exactly_one }} then 0
            else 1
        end = 1
)

select * from validation_errors

{% endtest %}
