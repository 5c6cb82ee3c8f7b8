{# What dbt itself would build without a question and the engine, or a later run, could not cope with. #}
{% macro _check_table(node, findings) -%}
    {%- if '"' in node.alias -%}
        {%- do findings.append(scd2_master._invalid_option(
            'alias', node.alias, 'it must not have a double quote in it, as dbt does not escape it'
        )) -%}
    {%- endif -%}
    {%- set constraints = node.constraints | list -%}
    {%- for column in node.columns.values() -%}
        {%- do constraints.extend(column.constraints or []) -%}
    {%- endfor -%}
    {%- set types = constraints | map(attribute='type') | map('string') | list -%}
    {%- for type, reason in scd2_master.refused_constraints().items() if type in types and (node.config.get('contract') or {}).enforced -%}
        {%- do findings.append(scd2_master._finding(
            'invalid_option', 'the contract has a constraint of type ' ~ type ~ ': ' ~ reason,
            'Remove it; a relationships test checks the same'
        )) -%}
    {%- endfor -%}
{%- endmacro %}
