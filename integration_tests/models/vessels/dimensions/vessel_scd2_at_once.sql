{{ config(
    entity_name='vessel',
    deleted_when='flag_state is null',
    full_refresh=true,
) }}

select
    vessel_id,
    vessel_name,
    vessel_type,
    flag_state,
    changed_at as valid_from
from {{ ref('vessel_log') }}
