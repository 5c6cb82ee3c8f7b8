select
    messages.mmsi,
    messages.changed_at,
    codes.vessel_type,
    coalesce(
        lead(messages.changed_at) over (partition by messages.mmsi order by messages.changed_at),
        cast('9999-12-31' as timestamp)
    ) as replaced_at
from {{ ref('vessel_types') }} as messages
left join {{ ref('vessel_type_codes') }} as codes
    on messages.type_code = codes.type_code
