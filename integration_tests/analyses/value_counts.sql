{%- set date_sql = scd2_master.effective_date_sql('src.opened_on', 'DATE', 'timestamp', 'UTC') -%}
{{ scd2_master._value_counts_sql(api.Relation.create(identifier='customer_master'), [
    {'sql': 'src.customer_id', 'date_sql': none}, {'sql': 'src.opened_on', 'date_sql': date_sql},
]) }}
