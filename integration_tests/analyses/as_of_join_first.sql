with orders as (
    select
        1 as customer_id,
        cast('2026-03-31' as date) as ordered_on
),

order_regions as (
    {{ scd2_master.as_of_join(
        'orders',
        api.Relation.create(identifier='customer_history'),
        'customer_id',
        'ordered_on',
        ['region'],
        unmatched='first',
    ) | indent(4) }}
)

select * from order_regions
