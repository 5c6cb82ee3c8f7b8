-- Both trees have the rows of their date's snapshot, no more and no fewer.
with

trees as (
    select
        'snapshot_date' as day,
        territory_id,
        territory_name,
        parent_id
    from {{ ref('territory_hierarchy') }}
    union all
    select
        'start' as day,
        territory_id,
        territory_name,
        parent_id
    from {{ ref('territory_hierarchy_at_start') }}
),

snapshots as (
    select
        'snapshot_date' as day,
        *
    from {{ ref('territory_master') }}
    union all
    select
        'start' as day,
        *
    from {{ ref('territories_20260101') }}
),

differences as (
    (
        select * from trees
        except all
        select * from snapshots
    )
    union all
    (
        select * from snapshots
        except all
        select * from trees
    )
)

select * from differences
