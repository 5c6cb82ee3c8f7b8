{{ scd2_master._column_sets_sql(api.Relation.create(identifier='customer_master'), [
    [{'sql': 'src.customer_id'}, {'sql': 'src.region'}], [{'sql': 'src.customer_id'}, {'sql': 'src.segment'}],
]) }}
