{%- set run = example_run(input_kind='change_log', recorded=false) -%}
{%- set meta = {
    'dbt_valid_from': {'name': 'dbt_valid_from', 'type': 'TIMESTAMP'}, 'dbt_valid_to': {'name': 'Valid To', 'type': 'DATE'},
    'dbt_is_deleted': {'name': 'dbt_is_deleted', 'type': 'VARCHAR'},
} -%}
{{ scd2_master._snapshot_sql({
    'scd2': run.scd2, 'layout': run.layout, 'meta': meta, 'sentinel': "cast('2999-12-31' as date)", 'snapshot': run.staging
}) }}
