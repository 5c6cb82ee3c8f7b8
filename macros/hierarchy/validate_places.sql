{#
    Raises hierarchy_cycle and too_deep where members have no place; cycles are looked for only then. Returns the number of
    members, roots and levels.
#}
{% macro validate_places(hierarchy, layout, links, places, target_relation) -%}
    {%- set query -%}
        select
            (select count(*) from {{ links }}) as members,
            coalesce(sum(case when member_level = 1 then 1 else 0 end), 0) as roots,
            coalesce(max(member_level), 0) as levels,
            count(*) as placed
        from {{ places }} as places
    {%- endset -%}
    {%- set counts = scd2_master._first_row(query) -%}
    {%- if counts.placed < counts.members -%}
        {%- set climbs = scd2_master._climb(links, places, counts.members - counts.placed, target_relation) -%}
        {%- set findings = [] -%}
        {%- for rows, finding in [
            (run_query(scd2_master._cycles_sql(climbs)), scd2_master._cycle_finding),
            (run_query(scd2_master._too_deep_sql(hierarchy, climbs)), scd2_master._too_deep_finding),
        ] if rows | length -%}
            {%- do findings.append(finding(hierarchy, layout, rows)) -%}
        {%- endfor -%}
        {%- do scd2_master.raise_findings(hierarchy.model, findings) -%}
    {%- endif -%}
    {{ return(counts) }}
{%- endmacro %}


{% macro _cycle_finding(hierarchy, layout, rows) -%}
    {{ return(scd2_master._finding(
        'hierarchy_cycle', 'members are above themselves: ' ~ scd2_master._listed(rows),
        'Correct ' ~ layout.parent.name ~ ' of one member of each cycle'
        ~ (", or set self_parent to 'root' if a member that is its own parent is a root"
           if 1 in rows | map(attribute='n') | list else '')
    )) }}
{%- endmacro %}


{% macro _too_deep_finding(hierarchy, layout, rows) -%}
    {{ return(scd2_master._finding(
        'too_deep', 'levels is ' ~ hierarchy.levels ~ ', and members stand deeper: ' ~ scd2_master._listed(rows),
        'Set levels to ' ~ rows[0]['deepest'] ~ ', or correct ' ~ layout.parent.name
    )) }}
{%- endmacro %}
