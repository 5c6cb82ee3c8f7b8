select
    orders.order_id,
    orders.customer_id,
    orders.ordered_on,
    orders.amount,
    customers.region
from {{ ref('orders') }} as orders
left join {{ ref('customer_scd2') }} as customers
    on
        orders.customer_id = customers.customer_id
        and orders.ordered_on >= customers.valid_from
        and orders.ordered_on < customers.valid_to
