{#
    Checks the classified changes and raises: out_of_order and too_many_closed of SPEC section 5. Returns the number of
    events per action, and `touched` (recorded open versions that they reach) and `writes` (versions written).
#}
{% macro validate_changes(scd2, layout, changes, facts) -%}
    {%- set findings = [] -%}
    {%- set rows = run_query(scd2_master._counts_sql(scd2, changes)).rows -%}
    {%- set counts = {'opened': 0, 'changed': 0, 'restated': 0, 'closed': 0, 'removed': 0, 'out_of_order': 0} -%}
    {%- do counts.update({'reopened': 0, 'type 1 updated': 0, 'touched': 0, 'writes': 0, 'leaving': 0}) -%}
    {%- for row in rows -%}
        {%- do counts.update({row['scd2_action']: counts[row['scd2_action']] + row['n']}) -%}
        {%- for total in ['touched', 'writes', 'leaving'] -%}
            {%- do counts.update({total: counts[total] + row[total]}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- if counts.pop('out_of_order') -%}
        {%- do findings.append(scd2_master._out_of_order(scd2, layout, changes, facts)) -%}
    {%- endif -%}
    {%- for step in scd2_master._steps(scd2, rows, counts, facts)
            if step.lost and step.lost / step.open_versions > scd2.max_closed_fraction -%}
        {%- do findings.append(scd2_master._too_many_closed(scd2, step)) -%}
    {%- endfor -%}
    {%- do scd2_master.raise_findings(scd2.model, findings) -%}
    {{ return(counts) }}
{%- endmacro %}


{# One row per action; of a series, per date and action. #}
{% macro _counts_sql(scd2, changes) -%}
    {%- set day = scd2_master.as_text('scd2_at') if scd2.input_kind == 'snapshot_series' else 'null' -%}
select
    {{ day }} as day,
    scd2_action,
    sum(case when scd2_counted then 1 else 0 end) as n,
    sum(case when scd2_leaves then 1 else 0 end) as leaving,
    sum(case when scd2_recorded_to = {{ scd2_master.boundary_literal(scd2.max_date, scd2.validity_type) }} then 1 else 0 end)
        as touched,
    count(scd2_write) as writes
from {{ changes }}
group by 1, 2
order by 1, 2
{%- endmacro %}


{#
    What max_closed_fraction looks at: {'day', 'lost', 'open_versions'} for each snapshot. A change log is one step: the keys
    that had an open version before the run and have none after it.
#}
{% macro _steps(scd2, rows, counts, facts) -%}
    {%- if scd2.input_kind != 'snapshot_series' -%}
        {{ return([{'day': facts.effective_date, 'lost': counts.leaving, 'open_versions': facts.open_versions}]) }}
    {%- endif -%}
    {%- set steps = [] -%}
    {%- set open = namespace(versions=facts.open_versions) -%}
    {%- for day, group in rows | selectattr('day') | groupby('day') -%}
        {%- set n = {} -%}
        {%- for row in group -%}
            {%- do n.update({row['scd2_action']: row['n'] | int, row['scd2_action'] ~ ' touched': row['touched'] | int}) -%}
        {%- endfor -%}
        {%- set lost = n.get('closed', 0) + n.get('removed', 0) -%}
        {%- do steps.append({'day': day, 'lost': lost, 'open_versions': open.versions}) -%}
        {%- set returned = n.get('reopened', 0) - n.get('reopened touched', 0) -%}
        {%- set open.versions = open.versions + n.get('opened', 0) + returned - lost -%}
    {%- endfor -%}
    {{ return(steps) }}
{%- endmacro %}


{% macro _too_many_closed(scd2, step) -%}
    {{ return(scd2_master._finding(
        'too_many_closed', (step.lost | int) ~ ' of ' ~ (step.open_versions | int) ~ ' open versions would be closed or removed'
        ~ (' at ' ~ step.day if scd2.input_kind == 'snapshot_series' else '')
        ~ ', more than max_closed_fraction ' ~ scd2.max_closed_fraction,
        'Check that the source is complete; if it is right, raise max_closed_fraction for this run'
    )) }}
{%- endmacro %}


{% macro _out_of_order(scd2, layout, changes, facts) -%}
    {%- set query -%}
        select
            {{ scd2_master._key_text(layout.key | map(attribute='alias') | list) }} as offender,
            {{ scd2_master.as_text('max(scd2_boundary)') }} as boundary,
            {{ scd2_master.as_text('min(scd2_at)') }} as day,
            count(*) over () as total
        from {{ changes }}
        where scd2_action = 'out_of_order'
        group by {{ layout.key | map(attribute='alias') | join(', ') }}
        order by offender
        limit 5
    {%- endset -%}
    {%- set keys = [] -%}
    {%- set rows = run_query(query).rows -%}
    {%- set number = rows[0]['total'] ~ (' key' if rows[0]['total'] == 1 else ' keys') -%}
    {%- for row in rows -%}
        {%- set of_row = ', row of ' ~ row['day'] if not facts.effective_date else '' -%}
        {%- do keys.append(row['offender'] ~ ' (' ~ row['boundary'] ~ of_row ~ ')') -%}
    {%- endfor -%}
    {%- if facts.effective_date -%}
        {{ return(scd2_master._finding(
            'out_of_order', 'the effective date ' ~ scd2_master._boundary_text(facts.effective_date)
            ~ ' is before the last boundary of ' ~ number ~ ' that it would change: ' ~ keys | join(', '),
            'Run snapshots in date order; to correct the past, restate it from an earlier prior_relation'
        )) }}
    {%- endif -%}
    {{ return(scd2_master._finding(
        'out_of_order', 'rows of ' ~ number ~ ' are before the last boundary of their key, and the history says otherwise: '
        ~ keys | join(', '),
        'Read the log in date order per key; to correct the past, read the whole log with an allowed full refresh, or start '
        ~ 'from an earlier prior_relation'
    )) }}
{%- endmacro %}
