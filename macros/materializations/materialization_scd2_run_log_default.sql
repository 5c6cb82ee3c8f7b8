{# The table of the run log: created where it is missing, never replaced. The scd2_master runs fill it. #}
{% materialization scd2_run_log, default -%}

    {%- set target_relation = this.incorporate(type='table') -%}
    {%- set existing_relation = load_cached_relation(this) -%}
    {%- do scd2_master.raise_findings(model.unique_id, scd2_master.validate_target({}, existing_relation)) -%}
    {%- do store_raw_result('main', message='OK', code='OK', rows_affected=0) -%}

    {#- a plan writes nothing -#}
    {%- if var('scd2_plan', false) is not sameas true -%}
        {%- do scd2_master.create_run_log(target_relation, model.unique_id) -%}
        {%- do scd2_master.begin_transaction() -%}
        {%- do apply_grants(
            target_relation, config.get('grants'), should_revoke(existing_relation, full_refresh_mode=false)
        ) -%}
        {%- do persist_docs(target_relation, model) -%}
        {{ adapter.commit() }}
        {%- set existing_relation = target_relation -%}
    {%- endif -%}

    {{ return({'relations': [existing_relation] if existing_relation else []}) }}

{%- endmaterialization %}
