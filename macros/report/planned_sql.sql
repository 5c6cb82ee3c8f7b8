{#
    The first rows of each action, by business key and date: business_key, event_date, and old_, new_ and differs_ before the alias of each column
    that is shown. What an event finds is the recorded open version, or what the key's event before it left.
#}
{% macro planned_sql(scd2, layout, changes, prior_relation, first_rows=5) -%}
    {%- set shown = scd2_master._planned_values(scd2, layout) -%}
    {%- set key = scd2_master._aliases(layout.key, 'changes') -%}
    {#- what type 1 values do to a key has no date, and no place among its events -#}
    {%- set order = 'partition by ' ~ key ~ ', changes.scd2_at is null order by changes.scd2_at' -%}
with open_versions as (
    select
        {{ scd2_master._under_aliases(layout.key + shown, 'recorded_sql') }}
    from {{ scd2_master._prior_from(prior_relation) }}
    where {{ layout.is_current.recorded_sql }}
),

events as (
    select
        changes.*,
        {%- for column in shown %}
        lag(changes.{{ column.alias }}) over ({{ order }}) as before_{{ column.alias }},
        {%- endfor %}
        row_number() over ({{ order }}) as place
    from {{ changes }} as changes
    where changes.scd2_counted
),

compared as (
    select
        events.*,
        {%- for column in shown %}
        case when events.place = 1 then open_versions.{{ column.alias }} else events.before_{{ column.alias }} end
            as old_{{ column.alias }},
        {%- endfor %}
        {{ scd2_master._key_text(scd2_master._aliases(layout.key, 'events').split(', ')) }} as business_key
    from events
    left join open_versions
        on {{ scd2_master._same_key(layout, 'events', 'open_versions') }}
),

numbered as (
    select
        compared.*,
        row_number() over (
            partition by compared.scd2_action order by compared.business_key, compared.scd2_at
        ) as place_in_action
    from compared
)

select
    numbered.scd2_action,
    numbered.business_key,
    {{ scd2_master.as_text('numbered.scd2_at') if scd2.input_kind != 'snapshot' else 'null' }} as event_date,
    {%- for column in shown %}
    {{ scd2_master.as_text('numbered.old_' ~ column.alias) }} as old_{{ column.alias }},
    {{ scd2_master.as_text('numbered.' ~ column.alias) }} as new_{{ column.alias }},
    case when {{ scd2_master._differ([column], 'numbered', 'numbered', 'old_') }} then 1 else 0 end
        as differs_{{ column.alias }},
    {%- endfor %}
    numbered.place_in_action
from numbered
where numbered.place_in_action <= {{ first_rows }}
order by numbered.place_in_action
{%- endmacro %}


{#
    The columns that a plan shows: of a snapshot all that a version takes from the source; where rows bring their dates what the
    events are decided by.
#}
{% macro _planned_values(scd2, layout) -%}
    {%- if scd2.input_kind != 'snapshot' -%}
        {{ return(layout.tracked + layout.type1) }}
    {%- endif -%}
    {{ return(layout.data | rejectattr('role', 'equalto', 'key') | selectattr('source') | list) }}
{%- endmacro %}
