{%- set log_end = "cast('" ~ var('vessel_log_until') ~ "' as timestamp)" -%}
-- One vessel's whole story, as far as the log was read: Liberia, then Panama, then another name under Panama.
with

story as (
    select
        '636099101' as vessel_id,
        'Amber Tide' as vessel_name,
        'Liberia' as flag_state,
        cast('2023-01-01' as timestamp) as valid_from,
        cast('2023-06-15' as timestamp) as valid_to
    union all
    select
        '636099101' as vessel_id,
        'Amber Tide' as vessel_name,
        'Panama' as flag_state,
        cast('2023-06-15' as timestamp) as valid_from,
        cast('2024-04-01' as timestamp) as valid_to
    union all
    select
        '636099101' as vessel_id,
        'Coral Tide' as vessel_name,
        'Panama' as flag_state,
        cast('2024-04-01' as timestamp) as valid_from,
        cast('9999-12-31' as timestamp) as valid_to
),

expected as (
    select
        vessel_id,
        vessel_name,
        'cargo' as vessel_type,
        flag_state,
        valid_from,
        case when valid_to < {{ log_end }} then valid_to else cast('9999-12-31' as timestamp) end as valid_to,
        case when valid_to < {{ log_end }} then 0 else 1 end as validity_status
    from story
    where valid_from < {{ log_end }}
),

recorded as (
    select
        vessel_id,
        vessel_name,
        vessel_type,
        flag_state,
        valid_from,
        valid_to,
        validity_status
    from {{ ref('vessel_scd2') }}
    where vessel_id = '636099101'
),

differences as (
    (
        select * from expected
        except all
        select * from recorded
    )
    union all
    (
        select * from recorded
        except all
        select * from expected
    )
)

select * from differences
