{# What the run did, as the node's line in dbt's log and its adapter_response in run_results. Rule: SPEC section 4. #}
{% macro report(counts, facts) -%}
    {%- set unchanged = facts.open_versions - counts.changed - counts.restated - counts.closed - counts.removed -%}
    {%- set parts = [] -%}
    {%- for action, count in dict(counts, unchanged=unchanged).items() -%}
        {%- do parts.append(count ~ ' ' ~ action) -%}
    {%- endfor -%}
    {%- set day = scd2_master._boundary_text(facts.effective_date) if facts.effective_date else 'no effective date' -%}
    {%- do store_raw_result(
        'main', message='SCD2 ' ~ day ~ ': ' ~ parts | join(', '), code='SCD2',
        rows_affected=counts.opened + 2 * counts.changed + counts.restated + counts.closed + counts.removed
    ) -%}
{%- endmacro %}
