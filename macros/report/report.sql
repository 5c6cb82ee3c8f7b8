{# What the run did, as the node's line in dbt's log and its adapter_response in run_results. Rule: SPEC section 4. #}
{% macro report(scd2, counts, facts) -%}
    {%- set parts = [] -%}
    {%- for action in ['opened', 'changed', 'restated', 'closed', 'removed'] -%}
        {%- do parts.append(counts[action] ~ ' ' ~ action) -%}
    {%- endfor -%}
    {%- do parts.append((facts.open_versions - counts.touched) ~ ' unchanged') -%}
    {%- for holds, count, action in [
        (scd2.coalesce_versions, counts['reopened'], 'reopened'),
        (scd2.type1_columns, counts['type 1 updated'], 'type 1 updated'),
        (scd2.input_kind == 'snapshot_series', facts.skipped | length, 'skipped'),
    ] if holds -%}
        {%- do parts.append(count ~ ' ' ~ action) -%}
    {%- endfor -%}
    {%- do store_raw_result(
        'main', message='SCD2 ' ~ scd2_master._run_dates(facts) ~ ': ' ~ parts | join(', '), code='SCD2',
        rows_affected=counts.opened + 2 * counts.changed + counts.restated + counts.closed + counts.removed
    ) -%}
{%- endmacro %}


{# D, or d1..dn where the rows have several dates. #}
{% macro _run_dates(facts) -%}
    {%- set first = facts.effective_date or facts.first_date -%}
    {%- set last = facts.effective_date or facts.last_date -%}
    {%- if not first -%}
        {{ return('no effective date') }}
    {%- endif -%}
    {{ return(scd2_master._boundary_text(first) ~ ('..' ~ scd2_master._boundary_text(last) if first != last else '')) }}
{%- endmacro %}
