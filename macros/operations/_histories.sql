{#
    The scd2_master model whose history an operation is asked to write: {'node', 'scd2' (its configuration), 'table' (none where
    it is not built)}. None and a finding where there is no such model.
#}
{% macro _asked_model(name, findings) -%}
    {%- set node = scd2_master._nodes_called(name, findings) | first -%}
    {%- if not node or node.config.materialized != 'scd2_master' -%}
        {%- do findings.append(scd2_master._no_such_model(name)) if not findings -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set problems = [] -%}
    {%- set scd2 = scd2_master._read_configuration(node, problems) -%}
    {#- the effective date and the vars in it belong to a run, and an operation is none -#}
    {%- do findings.extend(
        problems | rejectattr('slug', 'in', ['undefined_token', 'effective_date_not_before_max_date']) | list
    ) -%}
    {%- set table = scd2_master.find_relation(node.database, node.schema, node.alias) -%}
    {%- do findings.extend(scd2_master.validate_target(scd2, table)) -%}
    {{ return({'node': node, 'scd2': scd2, 'table': table}) }}
{%- endmacro %}


{% macro _no_such_model(name) -%}
    {%- set models = [] -%}
    {%- for node in graph.nodes.values() if node.config.materialized == 'scd2_master' -%}
        {%- do models.append(node.name) -%}
    {%- endfor -%}
    {%- set near = scd2_master._near_names(name | string, models) -%}
    {{ return(scd2_master._finding(
        'invalid_option', 'there is no scd2_master model ' ~ scd2_master._shown(name),
        ('Did you mean ' ~ near | join(', ') ~ '? ' if near else '') ~ 'Give the name of a model that is materialized as scd2_master'
    )) }}
{%- endmacro %}


{# Key and output columns of a stored history in the form of `resolve_columns`: what the rules of a history look at. #}
{% macro _rule_columns(scd2, stored) -%}
    {%- set layout = {'key': []} -%}
    {%- for role, name in scd2.interval_names.items() -%}
        {%- do layout.update({role: scd2_master._stored_column(scd2, stored, role, name)}) -%}
    {%- endfor -%}
    {%- for name in scd2.unique_key -%}
        {%- do layout.key.append(scd2_master._stored_column(scd2, stored, 'key', name)) -%}
    {%- endfor -%}
    {{ return(layout) }}
{%- endmacro %}


{% macro _stored_column(scd2, stored, role, name) -%}
    {%- set recorded = scd2_master._match(stored, name) -%}
    {%- set column = {'name': recorded.name, 'role': role, 'recorded': recorded, 'type': recorded.type} -%}
    {{ return(dict(
        column, quoted=scd2_master.quote_name(recorded.name), recorded_sql=scd2_master._recorded_sql(scd2, column)
    )) }}
{%- endmacro %}


{#
    What a stored history breaks: the guards' rules for a prior, then those of the generic tests that they leave out. `origin`
    is what the messages name.
#}
{% macro _broken_rules(scd2, relation, origin, remedy) -%}
    {%- set findings = [] -%}
    {%- set layout = scd2_master._rule_columns(scd2, scd2_master.read_columns(relation)) -%}
    {%- set rows = run_query(scd2_master._offenders_sql(scd2, layout, none, relation)) -%}
    {%- for reason, group in rows | groupby('reason') -%}
        {%- do findings.append(scd2_master._offence(scd2, origin, reason, scd2_master._listed(group))) -%}
    {%- endfor -%}
    {%- set key = layout.key | map(attribute='name') | list -%}
    {%- set names = {} -%}
    {%- for role in scd2.interval_names -%}
        {%- do names.update({role: layout[role].name}) -%}
    {%- endfor -%}
    {%- for rule, test in {
        'overlap': scd2_master.test_non_overlapping_intervals(relation, key, names),
        'end where they begin, or before': scd2_master.test_valid_intervals(relation, key, names),
    }.items() -%}
        {%- set failed = run_query(scd2_master._failing_keys_sql(layout, test)) -%}
        {%- if failed.rows -%}
            {%- do findings.append(scd2_master._finding(
                'prior_corrupt', 'versions of ' ~ origin ~ ' ' ~ rule ~ ': ' ~ scd2_master._listed(failed), remedy
            )) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for finding in findings if finding.slug == 'prior_corrupt' -%}
        {%- do finding.update({'remedy': remedy}) -%}
    {%- endfor -%}
    {{ return(findings) }}
{%- endmacro %}


{# The business keys that a generic test returns. #}
{% macro _failing_keys_sql(layout, test) -%}
    {%- set key = layout.key | map(attribute='quoted') | list -%}
select
    {{ scd2_master._key_text(key) }} as offender,
    count(*) as n,
    count(*) over () as total
from (
    {{ test }}
) as failures
group by {{ key | join(', ') }}
order by n desc, offender asc
limit 5
{%- endmacro %}


{# The number of rows of a table, read inside the transaction that is begun with it if none is open. #}
{% macro _count_in_transaction(table) -%}
    {%- do scd2_master.begin_transaction() -%}
    {%- call statement('scd2_count', fetch_result=true) -%}
        select count(*) as n from {{ table }}
    {%- endcall -%}
    {{ return(load_result('scd2_count').table.rows[0][0] | int) }}
{%- endmacro %}


{# '1 version', '2 versions'. #}
{% macro _counted(number, noun) -%}
    {{ return((number | int) ~ ' ' ~ noun ~ ('' if number == 1 else 's')) }}
{%- endmacro %}
