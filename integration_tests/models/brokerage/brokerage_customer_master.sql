select
    customer_id,
    tier,
    home_city
from {{ ref('brokerage_customers') }}
where exported_on = cast('{{ var("brokerage_date") }}' as date)
