{{ config(
    materialized='scd2_run_log',
    enabled=var('scd2_run_log', false),
) }}

{{ scd2_master.create_run_log_sql(this) }}
