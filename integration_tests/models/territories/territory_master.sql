select
    territory_id,
    territory_name,
    parent_id
from {{ ref('territories_' ~ (var('snapshot_date') | string | replace('-', ''))) }}
