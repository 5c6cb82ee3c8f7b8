{#
    What a generic test of two tables reads: the quoted names of the real columns of its model (`child`) and of `to`
    (`parent`). `arguments` are the test's own, by name; what is wrong with them is raised as in _tested_history.
#}
{% macro _tested_pair(test, relation, to, arguments) -%}
    {%- set pair = {
        'child': {
            'unique_key': [], 'foreign_key': [], 'as_of': 'as_of', 'valid_from': '', 'valid_to': '', 'taken': [], 'instants': {},
        },
        'parent': {'unique_key': [], 'valid_from': '', 'valid_to': '', 'taken': [], 'instants': {}},
    } -%}
    {%- if execute -%}
        {%- set findings = [] -%}
        {%- set given = scd2_master._given_facts(arguments, findings) if 'as_of' in arguments
            else scd2_master._given_children(arguments, findings) -%}
        {%- do pair.update({'child': scd2_master._real_columns(relation, given.child, findings, given.tables[0])}) -%}
        {%- if to is string or to.identifier is not defined -%}
            {%- do findings.append(scd2_master._invalid_argument('to', to, "a table, as in ref('customer_scd2')")) -%}
        {%- else -%}
            {%- set parent = scd2_master._real_columns(to, given.parent, findings, given.tables[1], given.renamed_in) -%}
            {%- do scd2_master._check_types_of_dates(pair.child.dates + parent.dates, findings, 'as_of' in arguments) -%}
            {%- do pair.update({'parent': dict(parent, unique_key=parent.unique_key or parent.foreign_key)}) -%}
        {%- endif -%}
        {%- do scd2_master.raise_findings('test ' ~ test ~ ' (' ~ model.unique_id ~ ')', findings) -%}
    {%- endif -%}
    {{ return(pair) }}
{%- endmacro %}


{# The column names that relationships_as_of was given, by side and role. #}
{% macro _given_facts(arguments, findings) -%}
    {%- set key = scd2_master._key_sides('unique_key', arguments.unique_key, findings) -%}
    {%- set interval = scd2_master._interval_columns(scd2_master._given_output_names(arguments.column_names, findings)) -%}
    {%- if not scd2_master._fits(arguments.as_of, 'name') -%}
        {%- do findings.append(scd2_master._invalid_argument('as_of', arguments.as_of, 'a column name')) -%}
    {%- endif -%}
    {{ return({
        'tables': ['facts', 'history'],
        'child': {'unique_key': key.left, 'as_of': scd2_master._as_list(arguments.as_of) | select('string') | list},
        'parent': dict(interval, unique_key=key.right),
        'renamed_in': 'column_names',
    }) }}
{%- endmacro %}


{# The column names that contained_intervals was given, by side and role. #}
{% macro _given_children(arguments, findings) -%}
    {%- set key = scd2_master._key_sides('foreign_key', arguments.foreign_key, findings) -%}
    {%- set renamed = scd2_master._given_output_names(arguments.to_column_names, findings, 'to_column_names') -%}
    {{ return({
        'tables': ['children', none],
        'child': dict(scd2_master._given_columns(arguments, false, findings), foreign_key=key.left),
        'parent': dict(scd2_master._interval_columns(renamed), foreign_key=key.right),
        'renamed_in': 'to_column_names',
    }) }}
{%- endmacro %}
