{{ scd2_master.join_histories(
    ref('brokerage_account_scd2'),
    ref('brokerage_customer_scd2'),
    key='customer_id',
    left_columns=['account_id', 'account_status'],
    right_columns=['tier', 'home_city'],
) }}
