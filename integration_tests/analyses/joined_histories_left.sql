{{ scd2_master.join_histories(
    scd2_master.join_histories(
        api.Relation.create(identifier='contract_history'),
        api.Relation.create(identifier='Customer History'),
        ['customer_id', 'Country Code'],
        'left',
        left_columns=['contract_id'],
        right_columns=['region', 'segment'],
    ),
    api.Relation.create(identifier='plan_history'),
    {'contract_id': 'plan_of'},
    'left',
    left_columns=['customer_id', 'region', 'segment'],
    right_columns=['plan'],
) }}
