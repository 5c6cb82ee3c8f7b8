with customer_history as (
    select
        1 as customer_id,
        'West' as region,
        cast('2026-01-01' as date) as valid_from,
        cast('9999-12-31' as date) as valid_to,
        true as is_current
)

select * from (
    {{ scd2_master.join_histories(
        'customer_history',
        api.Relation.create(identifier='contract_history'),
        {'customer_id': 'Customer No'},
        left_columns=['region'],
        right_columns=['plan', 'fee'],
        prefix='contract_',
    ) | indent(4) }}
) as joined_histories
