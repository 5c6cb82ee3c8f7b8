select
    exported.account_id,
    exported.customer_id,
    exported.account_status,
    customers.customer_version
from {{ ref('brokerage_accounts') }} as exported
left join {{ ref('brokerage_customer_scd2') }} as customers
    on
        exported.customer_id = customers.customer_id
        and customers.is_current
where exported.exported_on = cast('{{ var("brokerage_date") }}' as date)
