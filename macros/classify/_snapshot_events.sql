{# `affected` from a snapshot: source against open versions, at most one event per key, at the effective date. #}
{% macro _snapshot_events_sql(scd2, layout, staging, prior, facts) -%}
    {%- set day = scd2_master.boundary_literal(facts.effective_date, scd2.validity_type) -%}
incoming as (
    select
        {{ scd2_master._under_aliases(layout.data, 'incoming') }}
    from {{ staging }} as src
),

compared as (
    select
        {{ scd2_master._compared_values(layout) }},
        open_versions.open_from,
        {{ scd2_master._is_absent('incoming', layout) }} as is_absent
    from incoming
    {{ 'full outer' if scd2.close_on_absence else 'left' }} join open_versions
        on {{ scd2_master._same_key(layout, 'incoming', 'open_versions') }}
    where
        open_versions.open_from is null
        or {{ scd2_master._is_absent('incoming', layout) }}
        or {{ scd2_master._differ(layout.tracked, 'incoming', 'open_versions') }}
),

{{ scd2_master._last_ends_sql(layout, prior, 'compared') }},

affected as (
    select
        compared.*,
        {{ day }} as scd2_at,
        {{ scd2_master.boundary_literal(none, scd2.validity_type) }} as followed_at,
        compared.open_from is not null as was_present,
        true as is_first,
        coalesce(compared.open_from, last_ends.last_end) as boundary,
        coalesce(coalesce(compared.open_from, last_ends.last_end) > {{ day }}, false) as is_early
        {%- if layout.type1 %},
        not compared.is_absent as brings_type1
        {%- endif %}
    from compared
    left join last_ends
        on {{ scd2_master._same_key(layout, 'compared', 'last_ends') }}
)
{%- endmacro %}


{# The source's values, and the key from either side. #}
{% macro _compared_values(layout) -%}
    {%- set values = [] -%}
    {%- for column in layout.data -%}
        {%- set incoming = 'incoming.' ~ column.alias -%}
        {%- do values.append(
            incoming if column.role != 'key'
            else 'coalesce(' ~ incoming ~ ', open_versions.' ~ column.alias ~ ') as ' ~ column.alias
        ) -%}
    {%- endfor -%}
    {{ return(values | join(',\n        ')) }}
{%- endmacro %}
