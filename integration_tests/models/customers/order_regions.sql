with order_regions as (
    {{ scd2_master.as_of_join(
        fact=ref('orders'),
        dimension=ref('customer_scd2'),
        key='customer_id',
        as_of='ordered_on',
        columns=['region'],
    ) | indent(4) }}
)

select
    order_id,
    customer_id,
    ordered_on,
    amount,
    region
from order_regions
