{{ config(
    materialized='scd2_master',
    unique_key='customer_id',
    tracked_columns=['tier', 'home_city'],
    effective_date='{brokerage_date}',
    version_key_column='customer_version',
) }}

select
    customer_id,
    tier,
    home_city
from {{ ref('brokerage_customer_master') }}
