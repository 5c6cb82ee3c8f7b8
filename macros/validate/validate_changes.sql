{#
    Checks the classified changes and raises: out_of_order and too_many_closed of SPEC section 5. Returns the number of
    keys per action.
#}
{% macro validate_changes(scd2, layout, changes, facts) -%}
    {%- set counts = {'opened': 0, 'changed': 0, 'restated': 0, 'closed': 0, 'removed': 0, 'out_of_order': 0} -%}
    {%- for row in run_query('select scd2_action, count(*) as n from ' ~ changes ~ ' group by scd2_action') -%}
        {%- do counts.update({row['scd2_action']: row['n']}) -%}
    {%- endfor -%}
    {%- set findings = [] -%}
    {%- if counts.pop('out_of_order') -%}
        {%- do findings.append(scd2_master._out_of_order(scd2, layout, changes, facts)) -%}
    {%- endif -%}
    {%- set lost = counts.closed + counts.removed -%}
    {%- if lost and lost / facts.open_versions > scd2.max_closed_fraction -%}
        {%- do findings.append(scd2_master._finding(
            'too_many_closed', lost ~ ' of ' ~ facts.open_versions
            ~ ' open versions would be closed or removed, more than max_closed_fraction ' ~ scd2.max_closed_fraction,
            'Check that the source is complete; if it is right, raise max_closed_fraction for this run'
        )) -%}
    {%- endif -%}
    {%- do scd2_master.raise_findings(scd2.model, findings) -%}
    {{ return(counts) }}
{%- endmacro %}


{% macro _out_of_order(scd2, layout, changes, facts) -%}
    {%- set query -%}
        select
            {{ scd2_master._key_text(layout.key | map(attribute='alias') | list) }} as offender,
            {{ scd2_master.as_text('scd2_boundary') }} as boundary,
            count(*) over () as total
        from {{ changes }}
        where scd2_action = 'out_of_order'
        order by offender
        limit 5
    {%- endset -%}
    {%- set keys = [] -%}
    {%- set rows = run_query(query).rows -%}
    {%- for row in rows -%}
        {%- do keys.append(row['offender'] ~ ' (' ~ row['boundary'] ~ ')') -%}
    {%- endfor -%}
    {{ return(scd2_master._finding(
        'out_of_order', 'the effective date ' ~ scd2_master._boundary_text(facts.effective_date) ~ ' is before the last boundary of '
        ~ rows[0]['total'] ~ ' keys that it would change: ' ~ keys | join(', '),
        'Run snapshots in date order; to correct the past, restate it from an earlier prior_relation'
    )) }}
{%- endmacro %}
