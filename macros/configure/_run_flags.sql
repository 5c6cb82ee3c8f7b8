{#
    How a full refresh is asked for and allowed: 'no', 'refused' (an ordinary run that warns) or 'allowed' (var
    scd2_allow_full_refresh is true or a list that names the model). Rule: SPEC section 2.
#}
{% macro _full_refresh(node, findings) -%}
    {%- set allowed = var('scd2_allow_full_refresh', false) -%}
    {%- if allowed is not boolean and not scd2_master._fits(allowed, 'name or list') -%}
        {%- do findings.append(scd2_master._invalid_option(
            "var('scd2_allow_full_refresh')", allowed, 'it must be true or a list of model names'
        )) -%}
    {%- endif -%}
    {%- set configured = node.config.get('full_refresh') -%}
    {%- if not (flags.FULL_REFRESH if configured is none else configured) -%}
        {{ return('no') }}
    {%- endif -%}
    {{ return('allowed' if allowed is sameas true or node.name in scd2_master._as_list(allowed) else 'refused') }}
{%- endmacro %}


{# '--empty' or '--sample' where dbt was called with one of them, else none. #}
{% macro _dry_flag() -%}
    {%- if invocation_args_dict.get('empty') -%}
        {{ return('--empty') }}
    {%- endif -%}
    {{ return('--sample' if invocation_args_dict.get('sample') else none) }}
{%- endmacro %}


{# A var that is true or false; false where it is not set. #}
{% macro _flag_var(name, findings) -%}
    {%- set value = var(name, false) -%}
    {%- if value is not boolean -%}
        {%- do findings.append(scd2_master._invalid_option("var('" ~ name ~ "')", value, 'it must be true or false')) -%}
        {{ return(false) }}
    {%- endif -%}
    {{ return(value) }}
{%- endmacro %}


{# The table of the run log as a relation; none where var scd2_run_log does not ask for it. #}
{% macro _run_log(findings) -%}
    {%- if not scd2_master._flag_var('scd2_run_log', findings) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set node = graph.nodes['model.scd2_master.scd2_run_log'] -%}
    {%- if not node -%}
        {%- do findings.append(scd2_master._invalid_option(
            "var('scd2_run_log')", true, 'and the project disables the model scd2_run_log of the package'
        )) -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias, type='table')) }}
{%- endmacro %}
