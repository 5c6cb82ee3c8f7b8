{#
    One run of a small dimension, from columns made up here: what the analyses hand to the package's SQL-building macros,
    so that sqlfluff lints what they render.
#}
{% macro example_run(recorded=true, input_kind='snapshot') -%}
    {%- set with_all = input_kind != 'snapshot' -%}
    {%- set interval_names = {'valid_from': 'valid_from', 'valid_to': 'valid_to', 'is_current': 'is_current'} -%}
    {%- set scd2 = {
        'model': 'example', 'unique_key': ['customer_id', 'Country Code'], 'tracked_columns': ['region', 'credit_limit'],
        'carried_columns': [], 'effective_date': none if with_all else '2026-04-01',
        'effective_date_column': 'changed_on' if with_all else none, 'max_date': '9999-12-31',
        'close_on_absence': input_kind != 'change_log', 'validity_type': 'date', 'current_flag_type': 'boolean',
        'on_schema_change': 'append_new_columns', 'timezone': 'UTC', 'input_kind': input_kind,
        'deleted_when': "segment = 'closed'" if input_kind == 'change_log' else none, 'initial_valid_from': none,
        'coalesce_versions': with_all, 'type0_columns': ['first_shop'] if with_all else [],
        'type1_columns': ['phone'] if with_all else [], 'interval_names': interval_names,
        'output_names': dict({'version_key': 'customer_scd_id', 'tracked_hash': 'datahash'} if with_all else {}, **interval_names),
    } -%}
    {%- set source = [
        {'name': 'customer_id', 'type': 'INTEGER'}, {'name': 'Country Code', 'type': 'VARCHAR'},
        {'name': 'region', 'type': 'VARCHAR'}, {'name': 'credit_limit', 'type': 'BIGINT'},
        {'name': 'segment', 'type': 'VARCHAR'}, {'name': 'first_shop', 'type': 'VARCHAR'},
        {'name': 'phone', 'type': 'VARCHAR'}, {'name': 'changed_on', 'type': 'DATE'},
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
        'facts': {
            'effective_date': scd2.effective_date, 'first_date': '2026-04-01', 'latest_boundary': '2026-03-01',
            'date_sql': {'column': 'src.changed_on', 'value': 'src.changed_on', 'exact': 'true'} if with_all else none,
        },
    }) }}
{%- endmacro %}
