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
    {%- set configured = node.config.full_refresh -%}
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
