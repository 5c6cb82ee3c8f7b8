{#
    Prints what the run would do, and stores it as the result of the node: the report line, changes of the table's columns,
    and for each action the first rows. For var scd2_plan.
#}
{% macro report_plan(scd2, layout, changes, prior_relation, counts, facts) -%}
    {%- set summary = scd2_master._summary(scd2, counts, facts) -%}
    {%- set lines = ['scd2_master plan of ' ~ scd2.model ~ ', nothing is written: ' ~ summary] -%}
    {%- do lines.extend(scd2_master._planned_columns(layout, prior_relation)) -%}
    {%- set rows = run_query(scd2_master.planned_sql(scd2, layout, changes, prior_relation)).rows -%}
    {%- for action in ['opened', 'changed', 'restated', 'closed', 'removed', 'reopened', 'type 1 updated'] -%}
        {%- set first_rows = rows | selectattr('scd2_action', 'equalto', action) | list -%}
        {%- if first_rows -%}
            {%- do lines.append('  ' ~ action ~ ' (' ~ counts[action] ~ ')') -%}
        {%- endif -%}
        {%- for row in first_rows -%}
            {%- do lines.append('    ' ~ scd2_master._planned_row(scd2, layout, row)) -%}
        {%- endfor -%}
        {%- if counts[action] > first_rows | length -%}
            {%- do lines.append('    and ' ~ (counts[action] - first_rows | length) ~ ' more') -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do print(lines | join('\n')) -%}
    {%- do store_raw_result('main', message='SCD2 plan ' ~ summary, code='SCD2', rows_affected=0) -%}
{%- endmacro %}


{# The columns that the run would add to the recorded table, or widen. #}
{% macro _planned_columns(layout, prior_relation) -%}
    {%- set lines = [] -%}
    {%- for column in layout.columns if prior_relation -%}
        {%- if not column.recorded -%}
            {%- do lines.append('  column ' ~ column.name ~ ' is added') -%}
        {%- elif column.type != column.recorded.type -%}
            {%- do lines.append('  column ' ~ column.name ~ ' becomes ' ~ column.type ~ ', it was ' ~ column.recorded.type) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(lines) }}
{%- endmacro %}


{# 'C1 at 2026-04-01: region West -> Central'. An ended version shows what it was, an opened one what it is. #}
{% macro _planned_row(scd2, layout, row) -%}
    {%- set values = [] -%}
    {%- for column in scd2_master._planned_values(scd2, layout) -%}
        {%- set old = scd2_master._planned_text(row['old_' ~ column.alias]) -%}
        {%- set new = scd2_master._planned_text(row['new_' ~ column.alias]) -%}
        {%- set differ = row['differs_' ~ column.alias] -%}
        {#- what differs beyond the cut is shown whole -#}
        {%- set width = 40 if not differ or scd2_master._shortened(old, 40) != scd2_master._shortened(new, 40)
            else [old | length, new | length] | max * 2 -%}
        {%- set old, new = scd2_master._shortened(old, width), scd2_master._shortened(new, width) -%}
        {%- set shown = {
            'opened': new, 'reopened': new, 'closed': old, 'removed': old, 'type 1 updated': new if column.role == 'type1',
        }.get(row['scd2_action'], old ~ ' -> ' ~ new if differ) -%}
        {%- do values.append(column.name ~ ' ' ~ shown) if shown -%}
    {%- endfor -%}
    {{ return(scd2_master._printable(row['business_key']) ~ (' at ' ~ row['event_date'] if row['event_date'] else '') ~ ': ' ~ values | join(', ')) }}
{%- endmacro %}


{% macro _planned_text(value) -%}
    {{ return('null' if value is none else scd2_master._printable(value)) }}
{%- endmacro %}
