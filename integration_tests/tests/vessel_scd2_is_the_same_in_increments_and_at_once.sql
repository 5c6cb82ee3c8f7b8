-- The history that grew in increments is the history from one batch, row for row, ids and hashes included.
with

differences as (
    (
        select * from {{ ref('vessel_scd2') }}
        except all
        select * from {{ ref('vessel_scd2_at_once') }}
    )
    union all
    (
        select * from {{ ref('vessel_scd2_at_once') }}
        except all
        select * from {{ ref('vessel_scd2') }}
    )
)

select * from differences
