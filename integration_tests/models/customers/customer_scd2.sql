{{ config(
    materialized='scd2_master',
    unique_key='customer_id',
    tracked_columns=['region'],
    effective_date='{snapshot_date}',
) }}

select
    customer_id,
    region,
    segment
from {{ ref('customer_master') }}
