{#
    A hierarchy from a table of members and their parents: configure -> stage -> validate -> place -> apply -> report.
    Hooks, transaction and grants stand where dbt's own table materialization has them.
#}
{% materialization dimension_hierarchy, default -%}

    {#- configure: every configuration error is raised here, before any SQL runs -#}
    {%- set hierarchy = scd2_master.configure_hierarchy() -%}
    {%- set existing_relation = load_cached_relation(this) -%}
    {%- set target_relation = this.incorporate(type='table') -%}
    {%- set intermediate_relation = make_intermediate_relation(target_relation) -%}
    {%- do scd2_master.raise_findings(
        hierarchy.model, scd2_master.validate_target(hierarchy, existing_relation)
    ) -%}

    {#- a run that died without a rollback may have left it -#}
    {%- do drop_relation_if_exists(load_cached_relation(intermediate_relation)) -%}

    {{ run_hooks(pre_hooks, inside_transaction=False) }}

    {#- `BEGIN` happens here, or in the first statement where dbt begins by itself -#}
    {%- do scd2_master.begin_transaction() -%}
    {%- do scd2_master.lock_table(target_relation, existing_relation) -%}
    {{ run_hooks(pre_hooks, inside_transaction=True) }}

    {#- stage: the model's SQL is evaluated here, once -#}
    {%- set staging = scd2_master.stage(hierarchy, target_relation, sql) -%}
    {%- set layout = scd2_master.resolve_members(hierarchy, scd2_master.read_columns(staging)) -%}

    {#- validate and place: members alone first, as a second parent would multiply the rows -#}
    {%- do scd2_master.validate_members(hierarchy, layout, staging) -%}
    {%- set links = scd2_master.link_members(hierarchy, layout, staging, target_relation) -%}
    {%- set places = scd2_master.place_members(hierarchy, layout, links, target_relation) -%}
    {%- set counts = scd2_master.validate_places(hierarchy, layout, links, places, target_relation) -%}

    {#- apply -#}
    {%- set query = scd2_master.hierarchy_sql(layout, staging, links, places) -%}
    {%- do scd2_master.store(hierarchy, query, existing_relation, intermediate_relation, target_relation) -%}
    {%- do scd2_master.report_hierarchy(counts) -%}
    {%- for relation in [places, links, staging] -%}
        {%- do adapter.drop_relation(relation) -%}
    {%- endfor -%}

    {{ run_hooks(post_hooks, inside_transaction=True) }}

    {%- do apply_grants(target_relation, hierarchy.grants, should_revoke(existing_relation, full_refresh_mode=True)) -%}
    {%- do persist_docs(target_relation, model) -%}

    {#- `COMMIT` happens here -#}
    {{ adapter.commit() }}

    {{ run_hooks(post_hooks, inside_transaction=False) }}

    {{ return({'relations': [target_relation]}) }}

{%- endmaterialization %}
