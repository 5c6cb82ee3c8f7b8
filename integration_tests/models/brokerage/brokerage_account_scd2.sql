{{ config(
    materialized='scd2_master',
    unique_key='account_id',
    tracked_columns=['customer_id', 'customer_version', 'account_status'],
    effective_date='{brokerage_date}',
    version_key_column='account_version',
) }}

select
    account_id,
    customer_id,
    customer_version,
    account_status
from {{ ref('brokerage_account_master') }}
