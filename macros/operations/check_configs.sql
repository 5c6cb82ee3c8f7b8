{#
    Checks the configuration of every enabled scd2_master and dimension_hierarchy model of the project and its packages, as a run of it would, and touches no data.
    Prints a line for each model that is fine; raises all findings of all others at once.
#}
{% macro check_configs() -%}
    {%- set lines = [] -%}
    {%- if execute -%}
        {%- for node in graph.nodes.values() | sort(attribute='unique_id')
                if node.resource_type == 'model' and node.config.materialized in ['scd2_master', 'dimension_hierarchy'] -%}
            {%- set findings = [] -%}
            {%- set is_history = node.config.materialized == 'scd2_master' -%}
            {%- do (scd2_master._read_configuration if is_history else scd2_master._read_hierarchy)(node, findings) -%}
            {%- do scd2_master._warn_of_misspelt_options(
                node, scd2_master._option_specs() if is_history else scd2_master._hierarchy_specs()
            ) -%}
            {%- do lines.extend(scd2_master._finding_lines(node.unique_id, findings)) -%}
            {%- do print('scd2_master ' ~ node.unique_id ~ ': ' ~ (findings | length ~ ' found' if findings else 'ok')) -%}
        {%- endfor -%}
    {%- endif -%}
    {%- do scd2_master._raise_lines(lines) -%}
{%- endmacro %}
