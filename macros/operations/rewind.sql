{#
    Takes a history back to what it was just before a date: versions that begin on or after it are dropped, versions that end
    on or after it are open again. Without `confirm` it only says what it would do.
#}
{% macro rewind(model, to, confirm=false) -%}
    {%- if not execute -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set findings = [] -%}
    {%- set asked = scd2_master._asked_model(model, findings) -%}
    {%- set who = 'rewind of ' ~ (asked.scd2.model if asked else model) -%}
    {%- if confirm is not boolean -%}
        {%- do findings.append(scd2_master._invalid_argument('confirm', confirm, 'true or false')) -%}
    {%- endif -%}
    {%- if asked and not asked.table -%}
        {%- do findings.append(scd2_master._no_such_table(model, asked.node)) -%}
    {%- endif -%}
    {%- set date = scd2_master._boundary_option('to', to, asked.scd2.validity_type, findings) if asked -%}
    {%- do scd2_master.raise_findings(who, findings) -%}
    {%- set scd2 = asked.scd2 -%}
    {%- set stored = scd2_master.read_columns(asked.table) -%}
    {%- do scd2_master.raise_findings(who, scd2_master._prior_findings(scd2, stored, asked.table)) -%}
    {%- set layout = scd2_master._rule_columns(scd2, stored) -%}
    {%- set fates = scd2_master._rewound(scd2, layout, asked.table, date) -%}
    {%- set writes = confirm and fates.dropped.total + fates.reopened.total > 0 -%}
    {%- if writes -%}
        {%- for sql in scd2_master._rewind_sql(scd2, layout, asked.table, date) -%}
            {%- call statement() -%}
                {{ sql }}
            {%- endcall -%}
        {%- endfor -%}
        {%- do scd2_master.raise_findings(who, scd2_master._broken_rules(
            scd2, asked.table, 'the history that ' ~ asked.table ~ ' would become', 'Repair the table, or rewind it further'
        )) -%}
        {%- do adapter.commit() -%}
    {%- endif -%}
    {%- do scd2_master._print_rewound(scd2, asked.table, date, fates, writes) -%}
{%- endmacro %}


{# The conditions under which a version is dropped or reopened. A version that ends at the date was open just before it. #}
{% macro _rewind_conditions(scd2, layout, date) -%}
    {%- set boundary = scd2_master.boundary_literal(date, scd2.validity_type) -%}
    {%- set dropped = layout.valid_from.recorded_sql ~ ' >= ' ~ boundary -%}
    {{ return({
        'dropped': dropped,
        'reopened': 'not (' ~ layout.is_current.recorded_sql ~ ') and ' ~ layout.valid_to.recorded_sql ~ ' >= ' ~ boundary
            ~ ' and not (' ~ dropped ~ ')',
    }) }}
{%- endmacro %}


{% macro _rewind_sql(scd2, layout, table, date) -%}
    {%- set conditions = scd2_master._rewind_conditions(scd2, layout, date) -%}
    {%- set reopen -%}
update {{ table }} as hist
set
    {{ layout.valid_to.quoted }} = {{ scd2_master.boundary_literal(scd2.max_date, scd2.validity_type) }},
    {{ layout.is_current.quoted }} = {{ scd2_master._flag(layout.is_current, 'true') }}
where {{ conditions.reopened }}
    {%- endset -%}
    {{ return(['delete from ' ~ table ~ ' as hist\nwhere ' ~ conditions.dropped, reopen]) }}
{%- endmacro %}


{#
    {'versions': how many there are, 'dropped': {'total', 'first': the first five as text}, 'reopened': the same}, read inside
    the transaction.
#}
{% macro _rewound(scd2, layout, table, date) -%}
    {%- set fates = {'versions': scd2_master._count_in_transaction(table)} -%}
    {%- for fate, condition in scd2_master._rewind_conditions(scd2, layout, date).items() -%}
        {%- set rows = run_query(scd2_master._fate_sql(layout, table, condition)).rows -%}
        {%- set first = [] -%}
        {%- for row in rows -%}
            {%- do first.append(row['version_key'] ~ ' [' ~ row['valid_from'] ~ ', ' ~ row['valid_to'] ~ ')') -%}
        {%- endfor -%}
        {%- do fates.update({fate: {'total': rows[0]['total'] if rows else 0, 'first': first}}) -%}
    {%- endfor -%}
    {{ return(fates) }}
{%- endmacro %}


{% macro _fate_sql(layout, table, condition) -%}
select
    {{ scd2_master._key_text(layout.key | map(attribute='recorded_sql') | list) }} as version_key,
    {{ scd2_master.as_text(layout.valid_from.recorded_sql) }} as valid_from,
    {{ scd2_master.as_text(layout.valid_to.recorded_sql) }} as valid_to,
    count(*) over () as total
from {{ table }} as hist
where {{ condition }}
order by 1, 2
limit 5
{%- endmacro %}


{% macro _print_rewound(scd2, table, date, fates, written) -%}
    {%- set left = fates.versions - fates.dropped.total -%}
    {%- set untouched = left - fates.reopened.total -%}
    {%- set at = table ~ ' to ' ~ scd2_master._boundary_text(date) -%}
    {%- if untouched == fates.versions -%}
        {%- do print('scd2_master rewind: nothing to do, ' ~ table ~ ' has no boundary on or after '
            ~ scd2_master._boundary_text(date)) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- do print('scd2_master rewind: ' ~ at ~ (': ' if written else ' would do this: ')
        ~ scd2_master._counted(fates.dropped.total, 'version') ~ ' dropped, ' ~ fates.reopened.total ~ ' reopened, '
        ~ untouched ~ ' unchanged') -%}
    {%- for fate in ['dropped', 'reopened'] if fates[fate].total -%}
        {%- set more = fates[fate].total - fates[fate].first | length -%}
        {%- do print('  ' ~ fate ~ ': ' ~ fates[fate].first | join(', ') ~ (' and ' ~ more ~ ' more' if more else '')) -%}
    {%- endfor -%}
    {%- if scd2.type1_columns -%}
        {%- do print('  type 1 columns (' ~ scd2.type1_columns | join(', ') ~ ') keep their newest values') -%}
    {%- endif -%}
    {%- if left == 0 -%}
        {%- do print('  no version is left: the next run is a first one') -%}
    {%- endif -%}
    {%- if not written -%}
        {%- do print('  nothing is written: add confirm: true to do it') -%}
    {%- endif -%}
{%- endmacro %}
