{# The columns of the run log, in order: {name: type}. models/run_log describes them. #}
{% macro run_log_columns() -%}
    {%- set columns = {
        'invocation_id': type_string(), 'model': type_string(), 'first_effective_date': type_timestamp(),
        'effective_date': type_timestamp(), 'scd2_strategy': type_string(), 'source_rows': type_bigint(),
    } -%}
    {%- for count in scd2_master._logged_counts() -%}
        {%- do columns.update({count | replace(' ', '_'): type_bigint()}) -%}
    {%- endfor -%}
    {%- do columns.update({'started_at': type_timestamp(), 'seconds': type_numeric()}) -%}
    {{ return(columns) }}
{%- endmacro %}


{% macro _logged_counts() -%}
    {{ return([
        'opened', 'changed', 'restated', 'closed', 'removed', 'unchanged', 'reopened', 'type 1 updated', 'skipped',
    ]) }}
{%- endmacro %}
