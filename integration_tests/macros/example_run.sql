{#
    One run of a small dimension, from columns made up here: what the analyses hand to the package's SQL-building macros,
    so that sqlfluff lints what they render.
#}
{% macro example_run(recorded=true) -%}
    {%- set scd2 = {
        'model': 'example', 'unique_key': ['customer_id', 'Country Code'], 'tracked_columns': ['region', 'credit_limit'],
        'carried_columns': [], 'effective_date': '2026-04-01', 'effective_date_column': none, 'max_date': '9999-12-31',
        'close_on_absence': true, 'validity_type': 'date', 'current_flag_type': 'boolean',
        'on_schema_change': 'append_new_columns', 'timezone': 'UTC',
        'output_names': {'valid_from': 'valid_from', 'valid_to': 'valid_to', 'is_current': 'is_current'},
    } -%}
    {%- set source = [
        {'name': 'customer_id', 'type': 'INTEGER'}, {'name': 'Country Code', 'type': 'VARCHAR'},
        {'name': 'region', 'type': 'VARCHAR'}, {'name': 'credit_limit', 'type': 'BIGINT'},
        {'name': 'segment', 'type': 'VARCHAR'},
    ] -%}
    {%- set prior = [
        {'name': 'customer_id', 'type': 'BIGINT'}, {'name': 'Country Code', 'type': 'VARCHAR'},
        {'name': 'region', 'type': 'VARCHAR'}, {'name': 'credit_limit', 'type': 'INTEGER'},
        {'name': 'rating', 'type': 'VARCHAR'}, {'name': 'valid_from', 'type': 'DATE'},
        {'name': 'valid_to', 'type': 'DATE'}, {'name': 'is_current', 'type': 'BOOLEAN'},
    ] -%}
    {{ return({
        'scd2': scd2,
        'layout': scd2_master.resolve_columns(scd2, source, prior if recorded else none),
        'staging': api.Relation.create(identifier='customer_source'),
        'changes': api.Relation.create(identifier='customer_changes'),
        'prior': api.Relation.create(identifier='customer_history') if recorded else none,
        'effective_date': scd2.effective_date,
    }) }}
{%- endmacro %}
