{# What the run did, as the node's line in dbt's log and its adapter_response in run_results. Rule: SPEC section 4. #}
{% macro report(scd2, counts, facts) -%}
    {%- do store_raw_result(
        'main', message='SCD2 ' ~ scd2_master._summary(scd2, counts, facts), code='SCD2',
        rows_affected=counts.opened + 2 * counts.changed + counts.restated + counts.closed + counts.removed
    ) -%}
{%- endmacro %}


{# '2026-04-01: 0 opened, 1 changed, ...' #}
{% macro _summary(scd2, counts, facts) -%}
    {%- set parts = [] -%}
    {%- for action, count in scd2_master._reported_counts(scd2, counts, facts).items() -%}
        {%- do parts.append(count ~ ' ' ~ action) -%}
    {%- endfor -%}
    {{ return(scd2_master._run_dates(facts) ~ ': ' ~ parts | join(', ')) }}
{%- endmacro %}


{# The numbers that the report names, in its order; those of options only where they apply. #}
{% macro _reported_counts(scd2, counts, facts) -%}
    {%- set reported = {} -%}
    {%- for action in ['opened', 'changed', 'restated', 'closed', 'removed'] -%}
        {%- do reported.update({action: counts[action]}) -%}
    {%- endfor -%}
    {%- do reported.update({'unchanged': facts.open_versions - counts.touched}) -%}
    {%- for applies, action, count in [
        (scd2.coalesce_versions, 'reopened', counts['reopened']),
        (scd2.type1_columns, 'type 1 updated', counts['type 1 updated']),
        (scd2.input_kind == 'snapshot_series', 'skipped', facts.skipped | length),
    ] if applies -%}
        {%- do reported.update({action: count}) -%}
    {%- endfor -%}
    {{ return(reported) }}
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
