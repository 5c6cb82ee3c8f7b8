{# What the run wrote, as the node's line in dbt's log and its adapter_response in run_results. #}
{% macro report_hierarchy(counts) -%}
    {%- set parts = [] -%}
    {%- for noun in ['members', 'roots', 'levels'] -%}
        {%- do parts.append(counts[noun] ~ ' ' ~ (noun[:-1] if counts[noun] == 1 else noun)) -%}
    {%- endfor -%}
    {%- do store_raw_result(
        'main', message='HIERARCHY: ' ~ parts | join(', '), code='HIERARCHY', rows_affected=counts.members
    ) -%}
{%- endmacro %}
