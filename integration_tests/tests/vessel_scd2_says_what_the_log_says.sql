-- At the instant of each row of the log the history holds that row, nothing for a vessel that was struck off, and no
-- version begins or ends at any other instant.
with

logged as (
    select
        vessel_id,
        vessel_name,
        vessel_type,
        flag_state,
        changed_at
    from {{ ref('vessel_log') }}
    where flag_state is not null
),

recorded as (
    select
        history.vessel_id,
        history.vessel_name,
        history.vessel_type,
        history.flag_state,
        log_rows.changed_at
    from {{ ref('vessel_log') }} as log_rows
    inner join {{ ref('vessel_scd2') }} as history
        on
            log_rows.vessel_id = history.vessel_id
            and log_rows.changed_at >= history.valid_from
            and log_rows.changed_at < history.valid_to
),

boundaries as (
    select
        vessel_id,
        valid_from as boundary
    from {{ ref('vessel_scd2') }}
    union all
    select
        vessel_id,
        valid_to as boundary
    from {{ ref('vessel_scd2') }}
    where validity_status = 0
),

missing as (
    select * from logged
    except all
    select * from recorded
),

surplus as (
    select * from recorded
    except all
    select * from logged
),

without_a_change as (
    select boundaries.*
    from boundaries
    left join {{ ref('vessel_log') }} as log_rows
        on
            boundaries.vessel_id = log_rows.vessel_id
            and boundaries.boundary = log_rows.changed_at
    where log_rows.vessel_id is null
)

select
    'missing' as fault,
    vessel_id,
    changed_at
from missing
union all
select
    'surplus' as fault,
    vessel_id,
    changed_at
from surplus
union all
select
    'without a change' as fault,
    vessel_id,
    boundary as changed_at
from without_a_change
