-- As each account version names its customer version, joining the two histories cuts no account version in two.
with

recorded as (
    select
        accounts.customer_id,
        accounts.account_id,
        accounts.account_status,
        customers.tier,
        customers.home_city,
        accounts.valid_from,
        accounts.valid_to,
        accounts.is_current
    from {{ ref('brokerage_account_scd2') }} as accounts
    left join {{ ref('brokerage_customer_scd2') }} as customers
        on accounts.customer_version = customers.customer_version
),

differences as (
    (
        select * from recorded
        except all
        select * from {{ ref('brokerage_account_customers') }}
    )
    union all
    (
        select * from {{ ref('brokerage_account_customers') }}
        except all
        select * from recorded
    )
)

select * from differences
