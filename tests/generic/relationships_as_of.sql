{% test relationships_as_of(model, to, unique_key, as_of, column_names={}) %}

{%- set pair = scd2_master._tested_pair(
    'relationships_as_of', model, to, {'unique_key': unique_key, 'as_of': as_of, 'column_names': column_names}
) %}
{%- set fact, version = pair.child, pair.parent %}
{%- set columns = fact.unique_key + [fact.as_of] %}
{%- set both = {'taken': fact.taken + version.taken} %}
{%- set fact_rows = scd2_master._added_name(both, 'fact_rows') %}
{%- set versions = scd2_master._added_name(both, 'versions') %}
{%- set first_valid_from = scd2_master._added_name(both, 'first_valid_from') %}
{%- set last_valid_to = scd2_master._added_name(both, 'last_valid_to') %}

with facts as (
    select
        {{ columns | join(',\n        ') }},
        count(*) as {{ fact_rows }}
    from {{ model }}
    group by
        {{ columns | join(',\n        ') }}
),

ambiguous_facts as (
    select
        {{ scd2_master._of('facts', columns + [fact_rows]) | join(',\n        ') }},
        count(history.{{ version.valid_from }}) as {{ versions }}
    from facts
    left join {{ scd2_master._from_item(to) }} as history
        on
            {{ scd2_master._equal(
                scd2_master._of('facts', fact.unique_key), scd2_master._of('history', version.unique_key)
            ) | join('\n            and ') }}
            and {{ fact.instants.as_of }} >= {{ version.instants.valid_from }}
            and {{ fact.instants.as_of }} < {{ version.instants.valid_to }}
    group by
        {{ scd2_master._of('facts', columns + [fact_rows]) | join(',\n        ') }}
    having count(history.{{ version.valid_from }}) <> 1
),

recorded_keys as (
    select
        {{ version.unique_key | join(',\n        ') }},
        min({{ version.valid_from }}) as {{ first_valid_from }},
        max({{ version.valid_to }}) as {{ last_valid_to }}
    from {{ to }}
    group by
        {{ version.unique_key | join(',\n        ') }}
),

validation_errors as (
    select
        {{ scd2_master._of('ambiguous_facts', columns + [fact_rows, versions]) | join(',\n        ') }},
        recorded_keys.{{ first_valid_from }},
        recorded_keys.{{ last_valid_to }}
    from ambiguous_facts
    left join recorded_keys
        on
            {{ scd2_master._equal(
                scd2_master._of('ambiguous_facts', fact.unique_key), scd2_master._of('recorded_keys', version.unique_key)
            ) | join('\n            and ') }}
)

select * from validation_errors

{% endtest %}
