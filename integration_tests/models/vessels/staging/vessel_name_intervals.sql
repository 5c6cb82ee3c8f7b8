select
    mmsi,
    changed_at,
    vessel_name,
    coalesce(
        lead(changed_at) over (partition by mmsi order by changed_at),
        cast('9999-12-31' as timestamp)
    ) as replaced_at
from {{ ref('vessel_names') }}
