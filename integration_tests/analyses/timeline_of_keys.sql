{%- set history = {
    'relation': api.Relation.create(identifier='customer_history'),
    'key': [{'name': 'customer_id'}, {'name': 'Country Code'}], 'labels': [{'name': 'region'}],
    'valid_from': {'sql': 'hist.valid_from'}, 'valid_to': {'sql': 'hist.valid_to'},
    'wanted': [['C1', 'NL'], ['C2', none]],
} -%}
{{ scd2_master._timeline_sql(history) }}
