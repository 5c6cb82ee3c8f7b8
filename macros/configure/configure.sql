{#
    Reads the options of the model that runs once, from config and meta, and returns them as one dict, normalised and
    checked as a whole. All configuration errors are raised together, before any SQL runs. Rule: SPEC sections 2 and 5.
#}
{% macro configure() -%}
    {%- set findings = [] -%}
    {%- set scd2 = scd2_master._read_configuration(model, findings) -%}
    {%- do scd2_master._warn_of_misspelt_options(model, scd2_master._option_specs()) -%}
    {%- do scd2_master.raise_findings(scd2.model, findings) -%}
    {{ return(scd2) }}
{%- endmacro %}


{# The same for any model's node, the one that runs or one of dbt's graph; what is wrong goes into `findings`. #}
{% macro _read_configuration(node, findings) -%}
    {%- set options = scd2_master._read_options(node, scd2_master._option_specs(), findings) -%}
    {%- set own_table = api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias) -%}
    {%- set entity = options.entity_name or node.name -%}
    {%- set interval_names = scd2_master._interval_names(options.scd2_column_names, entity, findings) -%}
    {%- set scd2 = dict(
        options,
        model=node.unique_id,
        unique_key=scd2_master._with_entity(scd2_master._as_list(options.unique_key), entity),
        interval_names=interval_names,
        output_names=scd2_master._output_names(options, interval_names, entity, findings),
        max_date=scd2_master._boundary_option('max_date', options.max_date, options.validity_type, findings),
        prior=scd2_master._prior_parts(options.prior_relation, own_table, findings),
        timezone=scd2_master._timezone(findings),
        full_refresh=scd2_master._full_refresh(node, findings),
        dry_flag=scd2_master._dry_flag(),
        plan=scd2_master._flag_var('scd2_plan', findings),
        run_log=scd2_master._run_log(findings),
        started_at=modules.datetime.datetime.now(modules.pytz.utc),
        grants=node.config.get('grants'),
        sql_header=node.config.get('sql_header'),
        contract=node.config.get('contract'),
    ) -%}
    {%- do scd2_master._check_combinations(scd2, own_table, findings) -%}
    {%- do scd2.update({
        'effective_date': scd2_master._effective_date(scd2, findings),
        'initial_valid_from': scd2_master._initial_valid_from(scd2, findings),
    }) -%}
    {%- do scd2_master._check_dates(scd2, findings) -%}
    {%- do scd2_master._check_roles(scd2, findings) -%}
    {%- do scd2_master._check_table(node, findings) -%}
    {{ return(scd2) }}
{%- endmacro %}
