{#
    prior_would_discard: the own table has boundaries that a rebuild from the other prior would lose, because they are
    later than that prior's latest and not effective dates of this run.
#}
{% macro _discarded_history(scd2, layout, staging, prior_relation, existing_relation, facts) -%}
    {%- set own = scd2_master.read_columns(existing_relation) -%}
    {%- set own_findings = scd2_master._prior_findings(scd2, own, existing_relation) -%}
    {%- if own_findings -%}
        {{ return(own_findings) }}
    {%- endif -%}
    {%- set recorded = {} -%}
    {%- for role, name in scd2.interval_names.items() -%}
        {%- set column = {'role': role, 'recorded': scd2_master._match(own, name)} -%}
        {%- do column.update({'type': scd2_master.boundary_type(scd2.validity_type)}) -%}
        {%- do recorded.update({role: {'recorded_sql': scd2_master._recorded_sql(scd2, column)}}) -%}
    {%- endfor -%}
    {%- set rows = run_query(
        scd2_master._discarded_sql(scd2, layout, recorded, staging, prior_relation, existing_relation, facts)
    ) -%}
    {{ return([] if not rows.rows else [scd2_master._finding(
        'prior_would_discard', 'starting from ' ~ prior_relation ~ ' would lose boundaries that ' ~ existing_relation
        ~ ' has after it: ' ~ scd2_master._listed(rows),
        'Remove prior_relation to continue the own table, or name a prior that holds its history'
    )]) }}
{%- endmacro %}


{% macro _discarded_sql(scd2, layout, own, staging, prior_relation, existing_relation, facts) -%}
with own_boundaries as (
    {{ scd2_master._boundaries_sql(own, existing_relation) }}
),

prior_boundaries as (
    {{ scd2_master._boundaries_sql(layout, prior_relation) }}
),

discarded as (
    select {{ scd2_master.as_text('boundary') }} as offender, count(*) as n
    from own_boundaries
    where
        {% if scd2.input_kind == 'snapshot' -%}
        boundary is distinct from {{ scd2_master.boundary_literal(facts.effective_date, scd2.validity_type) }}
        {%- else -%}
        not exists (
            select 1 from {{ staging }} as src where {{ facts.date_sql.value }} = own_boundaries.boundary
        )
        {%- endif %}
        and boundary is distinct from {{ scd2_master.boundary_literal(scd2.initial_valid_from, scd2.validity_type) }}
        and not exists (
            select 1 from prior_boundaries where prior_boundaries.boundary >= own_boundaries.boundary
        )
    group by boundary
)

select offender, n, count(*) over () as total
from discarded
order by offender desc
limit 5
{%- endmacro %}


{# Every valid_from, and the valid_to of closed versions. #}
{% macro _boundaries_sql(columns, relation) -%}
    select {{ columns.valid_from.recorded_sql }} as boundary from {{ relation }} as hist
    union all
    select {{ columns.valid_to.recorded_sql }} as boundary from {{ relation }} as hist
    where not ({{ columns.is_current.recorded_sql }})
{%- endmacro %}
