{{ config(
    materialized='dimension_hierarchy',
    unique_key='territory_id',
    parent_key='parent_id',
    levels=4,
) }}

select
    territory_id,
    territory_name,
    parent_id
from {{ ref('territory_scd2') }}
where
    valid_from <= cast('2026-01-01' as date)
    and valid_to > cast('2026-01-01' as date)
