{%- set today = "cast('" ~ var('brokerage_date') ~ "' as date)" -%}
-- The accounts until the day of the build: B1's tier changes and opens a version of both its accounts; B2 moves on the day on
-- which its account becomes inactive, which is one version; A2 becomes inactive, which leaves its customer and A1 alone.
with

story as (
    {%- for account, customer, status, tier, city, valid_from, valid_to in [
        ('A1', 'B1', 'active', 3, 'Basel', '2026-01-05', '2026-02-02'),
        ('A1', 'B1', 'active', 2, 'Basel', '2026-02-02', '9999-12-31'),
        ('A2', 'B1', 'active', 3, 'Basel', '2026-01-05', '2026-02-02'),
        ('A2', 'B1', 'active', 2, 'Basel', '2026-02-02', '2026-03-02'),
        ('A2', 'B1', 'inactive', 2, 'Basel', '2026-03-02', '9999-12-31'),
        ('A3', 'B2', 'active', 1, 'Cork', '2026-01-05', '2026-03-02'),
        ('A3', 'B2', 'inactive', 1, 'Galway', '2026-03-02', '9999-12-31'),
        ('A4', 'B3', 'active', 3, 'Turku', '2026-02-02', '9999-12-31'),
    ] %}
    select
        '{{ account }}' as account_id,
        '{{ customer }}' as customer_id,
        '{{ status }}' as account_status,
        {{ tier }} as tier,
        '{{ city }}' as home_city,
        cast('{{ valid_from }}' as date) as valid_from,
        cast('{{ valid_to }}' as date) as valid_to
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
),

expected as (
    select
        account_id,
        customer_id,
        account_status,
        tier,
        home_city,
        valid_from,
        case when valid_to <= {{ today }} then valid_to else cast('9999-12-31' as date) end as valid_to,
        valid_to > {{ today }} as is_current
    from story
    where valid_from <= {{ today }}
),

recorded as (
    select
        accounts.account_id,
        accounts.customer_id,
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
