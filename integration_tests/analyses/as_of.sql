with customer_history as (
    select
        1 as customer_id,
        'West' as region,
        cast('2026-01-01' as date) as valid_from,
        cast('2026-04-01' as date) as valid_to
),

customers as (
    {{ scd2_master.as_of('customer_history', '2026-03-31 12:00:00') | indent(4) }}
)

select * from customers
