-- Germany's way through the tree: under the German-speaking countries at the start, from 2026-04-01 on right under Europe.
with

expected as (
    select
        'start' as day,
        4 as level,
        'WW > EU > DA > DE' as path,
        'DA' as level_3
    union all
    select
        'snapshot_date' as day,
        {% if var('snapshot_date') | string < '2026-04-01' -%}
        4 as level,
        'WW > EU > DA > DE' as path,
        'DA' as level_3
        {%- else -%}
        3 as level,
        'WW > EU > DE' as path,
        'DE' as level_3
        {%- endif %}
),

recorded as (
    select
        'start' as day,
        level,
        path,
        level_3
    from {{ ref('territory_hierarchy_at_start') }}
    where territory_id = 'DE'
    union all
    select
        'snapshot_date' as day,
        level,
        path,
        level_3
    from {{ ref('territory_hierarchy') }}
    where territory_id = 'DE'
),

differences as (
    (
        select * from expected
        except all
        select * from recorded
    )
    union all
    (
        select * from recorded
        except all
        select * from expected
    )
)

select * from differences
