select
    messages.mmsi,
    messages.changed_at,
    codes.flag_state,
    messages.flag_code is null as is_struck_off,
    coalesce(
        lead(messages.changed_at) over (partition by messages.mmsi order by messages.changed_at),
        cast('9999-12-31' as timestamp)
    ) as replaced_at
from {{ ref('vessel_registrations') }} as messages
left join {{ ref('flag_codes') }} as codes
    on messages.flag_code = codes.flag_code
