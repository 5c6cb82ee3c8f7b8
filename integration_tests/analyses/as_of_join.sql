with orders as (
    select
        1 as customer,
        'NL' as country,
        cast('2026-03-31' as date) as ordered_on
),

order_regions as (
    {{ scd2_master.as_of_join(
        'orders',
        api.Relation.create(identifier='customer_history'),
        {'customer': 'customer_id', 'country': 'Country Code'},
        'ordered_on',
        ['region', 'segment'],
        prefix='customer_',
    ) | indent(4) }}
)

select * from order_regions
