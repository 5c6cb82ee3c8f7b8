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

source_keys as (
    select distinct
        {{ scd2_master._selected(layout.key, 'events') }},
        open_versions.open_from
    from events
    left join open_versions
        on {{ scd2_master._same_key(layout, 'events', 'open_versions') }}
),

{{ scd2_master._last_ends_sql(layout, prior, 'source_keys') }},

located as (
    select
        events.*,
        {{ scd2_master._open_values(layout.tracked + layout.type0) }},
        open_versions.open_from,
        coalesce(open_versions.open_from, last_ends.last_end) as boundary,
        coalesce(events.scd2_at < coalesce(open_versions.open_from, last_ends.last_end), false) as is_early
    from events
    left join open_versions
        on {{ scd2_master._same_key(layout, 'events', 'open_versions') }}
    left join last_ends
        on {{ scd2_master._same_key(layout, 'events', 'last_ends') }}
),
{%- if scd2.input_kind == 'change_log' %}

{{ scd2_master._contradicted_sql(layout, prior) }},
{%- endif %}
{%- if layout.type1 %}

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
),
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
        {{ scd2_master._key_alone(layout, 'appearances') }},
        appearances.next_at as scd2_at,
        true as is_absent
    from appearances
    where appearances.next_at is not null and appearances.next_seen is distinct from appearances.next_at
    union all
    select
        {{ scd2_master._key_alone(layout, 'open_versions') }},
        {{ first_date }} as scd2_at,
        true as is_absent
    from open_versions
    left join incoming
        on {{ scd2_master._same_key(layout, 'open_versions', 'incoming') }} and incoming.scd2_at = {{ first_date }}
    where {{ scd2_master._is_absent('incoming', layout) }}
)
{%- endmacro %}


{# The columns of a source row of which only the key is known. #}
{% macro _key_alone(layout, relation) -%}
    {%- set values = [] -%}
    {%- for column in layout.data -%}
        {%- do values.append(
            relation ~ '.' ~ column.alias if column.role == 'key'
            else 'cast(null as ' ~ column.type ~ ') as ' ~ column.alias
        ) -%}
    {%- endfor -%}
    {{ return(values | join(',\n        ')) }}
{%- endmacro %}


{# Rows before their key's last recorded boundary do nothing where the history already says the same. #}
{% macro _contradicted_sql(layout, prior) -%}
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
),

contradicted as (
    select located.*
    from located
    left join covering
        on {{ scd2_master._same_key(layout, 'located', 'covering') }} and located.scd2_at = covering.scd2_at
    where located.is_early and coalesce(covering.says_otherwise, not located.is_absent)
)
{%- endmacro %}


{# The other rows in date order. An event changes something where the state that it brings is not the one before it. #}
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
    where not located.is_early
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
        {{ scd2_master._event_columns(layout, 'compared') }},
        compared.was_present,
        row_number() over ({{ scd2_master._in_key_order(layout, 'compared') }}) = 1 as is_first,
        lead(compared.scd2_at) over ({{ scd2_master._in_key_order(layout, 'compared') }}) as followed_at
    from compared
    {%- if layout.type1 %}
    left join newest_rows
        on {{ scd2_master._same_key(layout, 'compared', 'newest_rows') }}
    {%- endif %}
    where
        compared.was_present = compared.is_absent
        or (compared.was_present and compared.tracked_differ)
    {%- if scd2.input_kind == 'change_log' %}
    union all
    select
        {{ scd2_master._event_columns(layout, 'contradicted') }},
        false as was_present,
        false as is_first,
        contradicted.scd2_at as followed_at
    from contradicted
    {%- if layout.type1 %}
    left join newest_rows
        on {{ scd2_master._same_key(layout, 'contradicted', 'newest_rows') }}
    {%- endif %}
    {%- endif %}
)
{%- endmacro %}


{# The type 1 values of an event are those of its key's newest row. #}
{% macro _event_columns(layout, relation) -%}
    {%- set values = [] -%}
    {%- for column in layout.data -%}
        {%- do values.append(('newest_rows' if column.role == 'type1' else relation) ~ '.' ~ column.alias) -%}
    {%- endfor -%}
    {%- for column in layout.type0 -%}
        {%- do values.append(relation ~ '.open_' ~ column.alias) -%}
    {%- endfor -%}
    {%- for name in ['scd2_at', 'is_absent', 'open_from', 'boundary', 'is_early'] -%}
        {%- do values.append(relation ~ '.' ~ name) -%}
    {%- endfor -%}
    {%- if layout.type1 -%}
        {%- do values.append('(' ~ scd2_master._is_present('newest_rows', layout) ~ ') as brings_type1') -%}
    {%- endif -%}
    {{ return(values | join(',\n        ')) }}
{%- endmacro %}
