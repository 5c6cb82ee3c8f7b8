select
    changes.mmsi as vessel_id,
    changes.changed_at,
    coalesce(names_then.vessel_name, 'unknown') as vessel_name,
    coalesce(types_then.vessel_type, 'unknown') as vessel_type,
    case when flags_then.is_struck_off then null else coalesce(flags_then.flag_state, 'unknown') end as flag_state
from {{ ref('vessel_changes') }} as changes
left join {{ ref('vessel_name_intervals') }} as names_then
    on
        changes.mmsi = names_then.mmsi
        and changes.changed_at >= names_then.changed_at
        and changes.changed_at < names_then.replaced_at
left join {{ ref('vessel_type_intervals') }} as types_then
    on
        changes.mmsi = types_then.mmsi
        and changes.changed_at >= types_then.changed_at
        and changes.changed_at < types_then.replaced_at
left join {{ ref('vessel_flag_intervals') }} as flags_then
    on
        changes.mmsi = flags_then.mmsi
        and changes.changed_at >= flags_then.changed_at
        and changes.changed_at < flags_then.replaced_at
where changes.changed_at < cast('{{ var("vessel_log_until") }}' as timestamp)
