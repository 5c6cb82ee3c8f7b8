{{ config(
    materialized='scd2_master',
    unique_key='territory_id',
    tracked_columns=['territory_name', 'parent_id'],
    effective_date='{snapshot_date}',
    close_on_absence=true,
) }}

select
    territory_id,
    territory_name,
    parent_id
from {{ ref('territory_master') }}
