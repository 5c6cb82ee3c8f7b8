{#
    `affected` from rows that bring their dates: each key's events in date order, each compared with the state that the one
    before it left; the first with the open version. Rule: SPEC section 7.
#}
{% macro _dated_events_sql(scd2, layout, staging, prior, facts) -%}
    {%- set absences = scd2.input_kind == 'snapshot_series' and scd2.close_on_absence and facts.first_date -%}
incoming as (
    {{ scd2_master._dated_rows_sql(scd2, layout, staging, facts) }}
),
{%- if absences %}

{{ scd2_master._absences_sql(layout, scd2_master.boundary_literal(facts.first_date, scd2.validity_type)) }},
{%- endif %}

events as (
    select * from incoming
    {%- if absences %}
    union all
    select * from absences
    {%- endif %}
),

{{ scd2_master._located_sql(layout, prior) }},
{%- if scd2.input_kind == 'change_log' %}

{{ scd2_master._covering_sql(layout, prior) }},
{%- endif %}
{%- if layout.type1 %}

{{ scd2_master._newest_rows_sql(layout) }},
{%- endif %}

{{ scd2_master._sequence_sql(scd2, layout) }}
{%- endmacro %}


{# In a series, dates before the prior's latest boundary are skipped. #}
{% macro _dated_rows_sql(scd2, layout, staging, facts) -%}
select
        {{ scd2_master._under_aliases(layout.data, 'incoming') }},
        {{ facts.date_sql.value }} as scd2_at,
        {{ scd2_master._holds(scd2.deleted_when) if scd2.deleted_when else 'false' }} as is_absent
    from {{ staging }} as src
    {%- if scd2.input_kind == 'snapshot_series' and facts.latest_boundary %}
    where {{ facts.date_sql.value }} >= {{ scd2_master.boundary_literal(facts.latest_boundary, scd2.validity_type) }}
    {%- endif %}
{%- endmacro %}


{#
    The absences of a series that follow an appearance: the next snapshot where it lacks the key, for keys of the series, and
    the first one for open versions.
#}
{% macro _absences_sql(layout, first_date) -%}
snapshot_dates as (
    select
        dates.scd2_at,
        lead(dates.scd2_at) over (order by dates.scd2_at) as next_at
    from (select distinct incoming.scd2_at from incoming) as dates
),

appearances as (
    select
        {{ scd2_master._selected(layout.key, 'incoming') }},
        snapshot_dates.next_at,
        lead(incoming.scd2_at) over ({{ scd2_master._in_key_order(layout, 'incoming') }}) as next_seen
    from incoming
    inner join snapshot_dates
        on incoming.scd2_at = snapshot_dates.scd2_at
),

absences as (
    select
        {{ scd2_master._selected_or_null(layout.data, ['key'], 'appearances') }},
        appearances.next_at as scd2_at,
        true as is_absent
    from appearances
    where appearances.next_at is not null and appearances.next_seen is distinct from appearances.next_at
    union all
    select
        {{ scd2_master._selected_or_null(layout.data, ['key'], 'open_versions') }},
        {{ first_date }} as scd2_at,
        true as is_absent
    from open_versions
    left join incoming
        on {{ scd2_master._same_key(layout, 'open_versions', 'incoming') }} and incoming.scd2_at = {{ first_date }}
    where {{ scd2_master._is_absent('incoming', layout) }}
)
{%- endmacro %}


{# The events beside their key's open version and last recorded boundary. #}
{% macro _located_sql(layout, prior) -%}
beside_open as (
    select
        events.*,
        {%- for column in layout.tracked %}
        open_versions.{{ column.alias }} as open_{{ column.alias }},
        {%- endfor %}
        open_versions.open_from
    from events
    left join open_versions
        on {{ scd2_master._same_key(layout, 'events', 'open_versions') }}
),

source_keys as (
    select distinct
        {{ scd2_master._selected(layout.key, 'beside_open') }},
        beside_open.open_from
    from beside_open
),

{{ scd2_master._last_ends_sql(layout, prior, 'source_keys') }},

located as (
    select
        beside_open.*,
        coalesce(beside_open.open_from, last_ends.last_end) as boundary,
        coalesce(beside_open.scd2_at < coalesce(beside_open.open_from, last_ends.last_end), false) as is_early
    from beside_open
    left join last_ends
        on {{ scd2_master._same_key(layout, 'beside_open', 'last_ends') }}
)
{%- endmacro %}


{# Rows before their key's last recorded boundary and whether the history says the same; no row where no version covers one. #}
{% macro _covering_sql(layout, prior) -%}
covering as (
    select
        {{ scd2_master._selected(layout.key, 'located') }},
        located.scd2_at,
        (located.is_absent or {{ scd2_master._differ(layout.tracked, 'hist', 'located') }}) as says_otherwise
    from {{ prior }}
    inner join located
        on {{ scd2_master._same_key(layout, 'hist', 'located') }}
    where
        located.is_early
        and {{ layout.valid_from.recorded_sql }} <= located.scd2_at
        and {{ layout.valid_to.recorded_sql }} > located.scd2_at
)
{%- endmacro %}


{# For type 1: each key's newest row that is not a deletion and not before its last recorded boundary. #}
{% macro _newest_rows_sql(layout) -%}
newest_rows as (
    select *
    from (
        select
            {{ scd2_master._aliases(layout.key + layout.type1, 'located', ',\n            ') }},
            row_number() over ({{ scd2_master._in_key_order(layout, 'located', 'desc') }}) as place
        from located
        where not located.is_early and not located.is_absent
    ) as ranked
    where place = 1
)
{%- endmacro %}


{#
    The events in date order. One changes something where the state that it brings is not the one before it. Early rows are
    left out where the history says the same; the others stop the run.
#}
{% macro _sequence_sql(scd2, layout) -%}
    {%- set order = scd2_master._in_key_order(layout, 'located') -%}
sequenced as (
    select
        located.*,
        {%- for column in layout.tracked %}
        lag(located.{{ column.alias }}) over ({{ order }}) as before_{{ column.alias }},
        {%- endfor %}
        lag(located.is_absent) over ({{ order }}) as before_is_absent
    from located
    {%- if scd2.input_kind == 'change_log' %}
    left join covering
        on {{ scd2_master._same_key(layout, 'located', 'covering') }} and located.scd2_at = covering.scd2_at
    where not located.is_early or coalesce(covering.says_otherwise, not located.is_absent)
    {%- endif %}
),

compared as (
    select
        sequenced.*,
        coalesce(not sequenced.before_is_absent, sequenced.open_from is not null) as was_present,
        case
            when sequenced.before_is_absent is null
                then {{ scd2_master._differ(layout.tracked, 'sequenced', 'sequenced', 'open_') }}
            else {{ scd2_master._differ(layout.tracked, 'sequenced', 'sequenced', 'before_') }}
        end as tracked_differ
    from sequenced
),

affected as (
    select
        {{ scd2_master._event_values(layout) }},
        compared.scd2_at,
        compared.is_absent,
        compared.open_from,
        compared.boundary,
        compared.is_early,
        compared.was_present,
        row_number() over ({{ scd2_master._in_key_order(layout, 'compared') }}) = 1 as is_first,
        lead(compared.scd2_at) over ({{ scd2_master._in_key_order(layout, 'compared') }}) as followed_at
        {%- if layout.type1 %},
        ({{ scd2_master._is_present('newest_rows', layout) }}) as brings_type1
        {%- endif %}
    from compared
    {%- if layout.type1 %}
    left join newest_rows
        on {{ scd2_master._same_key(layout, 'compared', 'newest_rows') }}
    {%- endif %}
    where
        compared.is_early
        or compared.was_present = compared.is_absent
        or (compared.was_present and compared.tracked_differ)
)
{%- endmacro %}


{# The type 1 values of an event are those of its key's newest row. #}
{% macro _event_values(layout) -%}
    {%- set values = [] -%}
    {%- for column in layout.data -%}
        {%- do values.append(('newest_rows.' if column.role == 'type1' else 'compared.') ~ column.alias) -%}
    {%- endfor -%}
    {{ return(values | join(',\n        ')) }}
{%- endmacro %}
