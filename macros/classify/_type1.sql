{#
    `all_written`: what the events write, and the other recorded versions whose type 1 values are not the newest row's. Each
    key with such a version is counted once.
#}
{% macro _type1_sql(scd2, layout, prior, facts) -%}
    {%- set is_snapshot = scd2.input_kind == 'snapshot' -%}
    {%- set newest = 'incoming' if is_snapshot else 'newest_rows' -%}
    {%- set nothing = scd2_master.boundary_literal(none, scd2.validity_type) -%}
    {%- set day = scd2_master.boundary_literal(facts.effective_date, scd2.validity_type) -%}
type1_intervals as (
    select distinct
        {{ scd2_master._selected(layout.key, newest) }},
        {{ layout.valid_to.recorded_sql }} as recorded_to
    from {{ prior }}
    inner join {{ newest }}
        on {{ scd2_master._same_key(layout, 'hist', newest) }}
    where {{ scd2_master._differ(layout.type1, 'hist', newest) }}
),

type1_versions as (
    select
        {{ scd2_master._selected(layout.key + layout.type1, newest) }},
        type1_intervals.recorded_to,
        {{ 'open_versions.open_from' if is_snapshot else nothing }} as boundary,
        {{ 'coalesce(open_versions.open_from > ' ~ day ~ ', false)' if is_snapshot else 'false' }} as is_early
    from type1_intervals
    inner join {{ newest }}
        on {{ scd2_master._same_key(layout, 'type1_intervals', newest) }}
    {%- if is_snapshot %}
    left join open_versions
        on {{ scd2_master._same_key(layout, newest, 'open_versions') }}
    {%- endif %}
),

type1_written as (
    select
        type1_versions.*,
        written.scd2_write
    from type1_versions
    left join written
        on {{ scd2_master._same_key(layout, 'type1_versions', 'written') }}
        and type1_versions.recorded_to = written.scd2_recorded_to
    where written.scd2_write is distinct from 'delete'
),

all_written as (
    select * from written
    union all
    select
        case when type1_written.is_early then 'out_of_order' else 'type 1 updated' end as scd2_action,
        row_number() over (
            partition by {{ scd2_master._aliases(layout.key, 'type1_written') }} order by type1_written.recorded_to
        ) = 1 as scd2_counted,
        case when type1_written.scd2_write is null then 'update' end as scd2_write,
        case when type1_written.scd2_write is null then type1_written.recorded_to end as scd2_recorded_to,
        {{ nothing }} as scd2_from,
        type1_written.recorded_to as scd2_to,
        {{ nothing }} as scd2_at,
        type1_written.boundary as scd2_boundary,
        false as scd2_leaves,
        true as scd2_type1,
        {{ scd2_master._selected_or_null(layout.data, ['key', 'type1'], 'type1_written') }}
    from type1_written
)
{%- endmacro %}
