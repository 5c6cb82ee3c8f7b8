{#
    Turns the table of a `dbt snapshot` into the history of an scd2_master model that has none yet: built and checked under another
    name, and put in place at the commit. The snapshot is only read.
#}
{% macro adopt_snapshot(snapshot, model, same_day='error', snapshot_meta_column_names={}, dbt_valid_to_current=none) -%}
    {%- if not execute -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set findings = [] -%}
    {%- set asked = scd2_master._asked_model(model, findings) -%}
    {%- set missing = [] -%}
    {%- set found = scd2_master._find_table(snapshot, missing) -%}
    {%- do findings.extend(missing) -%}
    {%- if same_day not in ['error', 'last'] -%}
        {%- do findings.append(scd2_master._invalid_argument('same_day', same_day, 'one of error, last')) -%}
    {%- endif -%}
    {%- set sentinel = scd2_master._given_sentinel(dbt_valid_to_current, findings) -%}
    {%- set meta = scd2_master._meta_columns(found, snapshot_meta_column_names, findings) if found -%}
    {%- set who = 'adopt_snapshot for ' ~ (asked.scd2.model if asked else model) -%}
    {%- do scd2_master.raise_findings(who, findings) -%}
    {%- set data = found.columns | rejectattr('name', 'in', meta.values() | map(attribute='name') | list) | list -%}
    {%- set scd2 = scd2_master._adopting(asked.scd2, data) -%}
    {%- do scd2_master.raise_findings(who, scd2_master._adoption_findings(scd2, data)) -%}
    {%- set adoption = {
        'scd2': scd2, 'who': who, 'snapshot': found.relation, 'meta': meta, 'same_day': same_day,
        'layout': scd2_master.resolve_columns(scd2, data),
        'target': api.Relation.create(
            database=asked.node.database, schema=asked.node.schema, identifier=asked.node.alias, type='table'
        ),
        'sentinel': sentinel or (found.node.config.dbt_valid_to_current if found.node),
        'data': data,
    } -%}
    {%- do scd2_master._adopt(adoption, asked.table) -%}
{%- endmacro %}


{# Stages the snapshot, builds the history from it, checks it, swaps it in and says what was done. #}
{% macro _adopt(adoption, existing_relation) -%}
    {%- set scd2 = adoption.scd2 -%}
    {%- set who = adoption.who -%}
    {%- do adapter.create_schema(adoption.target) if not existing_relation -%}
    {%- set staging = make_temp_relation(adoption.target, '__scd2_snapshot') -%}
    {%- set intermediate = make_intermediate_relation(adoption.target) -%}
    {%- do scd2_master.begin_transaction() -%}
    {%- call statement() -%}
        {{ scd2_master.create_staging_as(staging, scd2_master._snapshot_sql(adoption)) }}
    {%- endcall -%}
    {%- do scd2_master.raise_findings(who, scd2_master._history_in_the_way(existing_relation)) -%}
    {%- set facts = scd2_master._snapshot_facts(adoption, staging) -%}
    {%- do drop_relation_if_exists(load_cached_relation(intermediate)) -%}
    {%- call statement() -%}
        {{ create_table_as(false, intermediate, scd2_master._adopted_sql(scd2, adoption.layout, staging)) }}
    {%- endcall -%}
    {%- do scd2_master.raise_findings(
        who, scd2_master._staged_findings(adoption, facts, staging) + scd2_master._broken_rules(
            scd2, intermediate, adoption.snapshot, 'Repair it in a view over the snapshot, and adopt the view'
        )
    ) -%}
    {%- set stored = scd2_master._rule_columns(scd2, scd2_master.read_columns(intermediate)) -%}
    {%- do facts.update(scd2_master._first_row(scd2_master._adopted_facts_sql(stored, intermediate))) -%}
    {%- do facts.update({'overwritten': scd2_master._overwritten_values(adoption.layout, staging)}) -%}
    {%- do scd2_master.swap(existing_relation, intermediate, adoption.target) -%}
    {%- do adapter.drop_relation(staging) -%}
    {%- do adapter.commit() -%}
    {%- do scd2_master._print_adopted(adoption, facts) -%}
{%- endmacro %}
