{#
    Checks the rows of source and prior against the guards of SPEC section 5 and raises everything it finds. Returns
    source_rows, versions and open_versions (of the prior), date_sql (of the effective-date column, or none), and

    - effective_date of a snapshot; none where the source has no row to take it from;
    - first_date and last_date where the rows bring their dates; of a series also latest_boundary (of the prior) and skipped,
      the dates before it.
#}
{% macro validate_rows(scd2, layout, staging, prior_relation, target_relation, existing_relation) -%}
    {%- set findings = [] -%}
    {%- set date_sql = scd2_master._date_sql(scd2, layout, findings) -%}
    {%- set facts = scd2_master._row_facts(scd2, layout, staging, prior_relation, date_sql) -%}
    {%- do facts.update({'date_sql': date_sql, 'skipped': []}) -%}
    {%- if date_sql -%}
        {%- do scd2_master._source_dates(scd2, layout, facts, staging, findings) -%}
    {%- endif -%}
    {%- if scd2.input_kind == 'snapshot' and scd2.close_on_absence and facts.source_rows == 0 and facts.open_versions > 0
            and not (scd2.allow_empty_source and scd2.effective_date) -%}
        {%- do findings.append(scd2_master._empty_source(scd2, facts)) -%}
    {%- endif -%}
    {%- do findings.extend(scd2_master._offending_rows(scd2, layout, staging, prior_relation, facts)) -%}
    {%- if existing_relation and scd2_master.has_other_prior(scd2, target_relation) and scd2.full_refresh != 'allowed'
            and (date_sql or scd2.input_kind == 'snapshot') -%}
        {%- do findings.extend(
            scd2_master._discarded_history(scd2, layout, staging, prior_relation, existing_relation, facts)
        ) -%}
    {%- endif -%}
    {%- do scd2_master.raise_findings(scd2.model, findings) -%}
    {{ return(facts) }}
{%- endmacro %}


{% macro _row_facts(scd2, layout, staging, prior_relation, date_sql) -%}
    {%- set query -%}
        with source_facts as (
            select
                count(*) as source_rows
                {%- if date_sql %},
                sum(case when {{ date_sql.column }} is null then 1 else 0 end) as undated,
                sum(case when {{ date_sql.exact }} then 0 when {{ date_sql.column }} is null then 0 else 1 end) as inexact,
                {{ scd2_master.as_text('min(' ~ date_sql.value ~ ')') }} as first_date,
                {{ scd2_master.as_text('max(' ~ date_sql.value ~ ')') }} as last_date
                {%- endif %}
            from {{ staging }} as src
        ),

        prior_facts as (
            {%- if prior_relation %}
            select
                count(*) as versions,
                coalesce(sum(case when {{ layout.is_current.recorded_sql }} then 1 else 0 end), 0) as open_versions
                {%- if scd2.input_kind == 'snapshot_series' %},
                {{ scd2_master.as_text('max(case when ' ~ layout.is_current.recorded_sql ~ ' then '
                    ~ layout.valid_from.recorded_sql ~ ' else ' ~ layout.valid_to.recorded_sql ~ ' end)') }} as latest_boundary
                {%- endif %}
            from {{ prior_relation }} as hist
            {%- else %}
            select 0 as versions, 0 as open_versions
            {%- endif %}
        )

        select * from source_facts cross join prior_facts
    {%- endset -%}
    {{ return(dict(scd2_master._first_row(query), effective_date=scd2.effective_date)) }}
{%- endmacro %}


{# The first row of a query as a dict, names in lower case. #}
{% macro _first_row(query) -%}
    {%- set table = run_query(query) -%}
    {%- set row = {} -%}
    {%- for name in table.column_names -%}
        {%- do row.update({name | lower: table.rows[0][name]}) -%}
    {%- endfor -%}
    {{ return(row) }}
{%- endmacro %}


{% macro _empty_source(scd2, facts) -%}
    {{ return(scd2_master._finding(
        'empty_source', 'the source has no rows and close_on_absence would close all ' ~ facts.open_versions ~ ' open versions',
        'Check the source; if it is right, set allow_empty_source'
        ~ ('' if scd2.effective_date else ' and effective_date, as an empty source has no effective_date_column value')
    )) }}
{%- endmacro %}
