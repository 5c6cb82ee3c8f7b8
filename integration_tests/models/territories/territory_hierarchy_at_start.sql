{{ config(
    materialized='dimension_hierarchy',
    unique_key='territory_id',
    parent_key='parent_id',
    levels=4,
) }}

with territories as (
    {{ scd2_master.as_of(ref('territory_scd2'), '2026-01-01') | indent(4) }}
)

select
    territory_id,
    territory_name,
    parent_id
from territories
