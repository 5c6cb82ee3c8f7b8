-- The open versions are the snapshot of the day, row for row.
with

open_versions as (
    select
        customer_id,
        region,
        segment
    from {{ ref('customer_scd2') }}
    where is_current
),

differences as (
    (
        select * from open_versions
        except all
        select * from {{ ref('customer_master') }}
    )
    union all
    (
        select * from {{ ref('customer_master') }}
        except all
        select * from open_versions
    )
)

select * from differences
