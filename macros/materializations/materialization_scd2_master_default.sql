{#
    A slowly changing dimension of type 2: configure -> stage -> validate -> classify -> apply -> report.
    Hooks, transaction and grants stand where dbt's own table materialization has them.
#}
{% materialization scd2_master, default -%}

    {#- configure: every configuration error is raised here, before any SQL runs -#}
    {%- set scd2 = scd2_master.configure() -%}
    {%- set existing_relation = load_cached_relation(this) -%}
    {%- set target_relation = this.incorporate(type='table') -%}
    {%- set intermediate_relation = make_intermediate_relation(target_relation) -%}
    {%- set prior = scd2_master.find_prior(scd2, target_relation, existing_relation) -%}
    {%- do scd2_master.raise_findings(
        scd2.model, scd2_master.validate_target(scd2, existing_relation) + prior.findings
    ) -%}

    {#- a plan writes nothing, and hooks may -#}
    {%- set pre_hooks, post_hooks = ([], []) if scd2.plan else (pre_hooks, post_hooks) -%}
    {%- if not scd2.plan -%}
        {#- a run that died without a rollback may have left it -#}
        {%- do drop_relation_if_exists(load_cached_relation(intermediate_relation)) -%}
        {%- do scd2_master.create_run_log(scd2.run_log, scd2.model) -%}
    {%- endif -%}

    {{ run_hooks(pre_hooks, inside_transaction=False) }}

    {#- `BEGIN` happens here, or in the first statement where dbt begins by itself -#}
    {%- do scd2_master.begin_transaction() -%}
    {%- do scd2_master.lock_table(target_relation, existing_relation) if not scd2.plan -%}
    {{ run_hooks(pre_hooks, inside_transaction=True) }}

    {#- stage: the model's SQL is evaluated here, once -#}
    {%- set staging = scd2_master.stage(scd2, target_relation, sql) -%}
    {%- set layout = scd2_master.resolve_columns(
        scd2, scd2_master.read_columns(staging), scd2_master.read_columns(prior.relation), prior.relation
    ) -%}
    {%- set merges = scd2_master.merges(scd2, layout, prior.relation) -%}

    {%- if scd2.dry_flag and existing_relation -%}
        {%- do scd2_master.report_skipped(scd2) -%}
    {%- else -%}

        {#- validate, classify -#}
        {%- set facts = scd2_master.validate_rows(
            scd2, layout, staging, prior.relation, target_relation, existing_relation
        ) -%}
        {%- set changes = scd2_master.classify(
            scd2, layout, staging, prior.relation, facts, target_relation
        ) -%}
        {%- set counts = scd2_master.validate_changes(scd2, layout, changes, facts) -%}

        {#- apply, report -#}
        {%- if scd2.plan -%}
            {%- do scd2_master.report_plan(scd2, layout, changes, prior.relation, counts, facts) -%}
        {%- elif merges -%}
            {%- do scd2_master.merge(scd2, layout, changes, counts, target_relation) -%}
        {%- else -%}
            {%- do scd2_master.rebuild(
                scd2, layout, changes, prior.relation, existing_relation, intermediate_relation, target_relation
            ) -%}
        {%- endif -%}
        {%- do adapter.drop_relation(changes) -%}
        {%- if not scd2.plan -%}
            {%- do scd2_master.report(scd2, counts, facts) -%}
            {%- do scd2_master.log_run(scd2, counts, facts) -%}
        {%- endif -%}
    {%- endif -%}
    {%- do adapter.drop_relation(staging) -%}

    {{ run_hooks(post_hooks, inside_transaction=True) }}

    {%- if not scd2.plan -%}
        {%- do apply_grants(target_relation, scd2.grants, should_revoke(existing_relation, full_refresh_mode=not merges)) -%}
        {%- do persist_docs(target_relation, model) -%}
    {%- endif -%}

    {#- `COMMIT` happens here -#}
    {{ adapter.commit() }}

    {{ run_hooks(post_hooks, inside_transaction=False) }}

    {{ return({'relations': [] if scd2.plan else [target_relation]}) }}

{%- endmaterialization %}
