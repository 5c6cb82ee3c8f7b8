{#
    Reads the options of the hierarchy that runs once, from config and meta, and returns them as one dict. All configuration
    errors are raised together, before any SQL runs. Rule: SPEC sections 5 and 8.
#}
{% macro configure_hierarchy() -%}
    {%- set findings = [] -%}
    {%- set hierarchy = scd2_master._read_hierarchy(model, findings) -%}
    {%- do scd2_master._warn_of_misspelt_options(model, scd2_master._hierarchy_specs()) -%}
    {%- do scd2_master.raise_findings(hierarchy.model, findings) -%}
    {{ return(hierarchy) }}
{%- endmacro %}


{# Every option of a hierarchy, SPEC section 8: what fits it, and its default. #}
{% macro _hierarchy_specs() -%}
    {{ return({
        'unique_key': {'fits': 'name or list'},
        'parent_key': {'fits': 'name or list'},
        'levels': {'fits': 'count', 'default': 10},
        'self_parent': {'choices': ['error', 'root'], 'default': 'error'},
        'orphans': {'choices': ['error', 'root'], 'default': 'error'},
    }) }}
{%- endmacro %}


{# The same for any model's node, the one that runs or one of dbt's graph; what is wrong goes into `findings`. #}
{% macro _read_hierarchy(node, findings) -%}
    {%- set options = scd2_master._read_options(node, scd2_master._hierarchy_specs(), findings) -%}
    {%- set hierarchy = dict(
        options,
        model=node.unique_id,
        unique_key=scd2_master._one_column(options, 'unique_key', findings),
        parent_key=scd2_master._one_column(options, 'parent_key', findings),
        dry_flag=none,
        grants=node.config.get('grants'),
        sql_header=node.config.get('sql_header'),
        contract=node.config.get('contract'),
    ) -%}
    {%- if not options.parent_key and 'parent_key' not in options.invalid -%}
        {%- do findings.append(scd2_master._finding(
            'invalid_option', 'parent_key is not set, or empty', "Name the column that holds the key of the member's parent"
        )) -%}
    {%- endif -%}
    {%- do scd2_master._check_table(node, findings) -%}
    {{ return(hierarchy) }}
{%- endmacro %}


{# The one column that an option names, or a list of one. #}
{% macro _one_column(options, key, findings) -%}
    {%- set names = scd2_master._as_list(options[key]) -%}
    {%- if names | length > 1 -%}
        {%- do findings.append(scd2_master._invalid_option(
            key, options[key], 'and a hierarchy has keys of one column: put the parts together in the SELECT'
        )) -%}
    {%- endif -%}
    {{ return(names | first | default(none)) }}
{%- endmacro %}
