select
    mmsi,
    changed_at
from {{ ref('vessel_registrations') }}
union distinct
select
    mmsi,
    changed_at
from {{ ref('vessel_names') }}
union distinct
select
    mmsi,
    changed_at
from {{ ref('vessel_types') }}
