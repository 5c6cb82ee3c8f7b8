{#
    What a run-operation is asked to look at: the table or view of a model, seed, snapshot or source of the project (by name,
    unique id, or `source.table`), else one that exists, by `[database.][schema.]identifier`. Returns {'relation', 'node', 'columns':
    [{'name', 'type'}]}, with node none outside the project; none and a finding where there is no such table.
#}
{% macro _find_table(name, findings) -%}
    {%- set nodes = scd2_master._nodes_called(name, findings) -%}
    {%- if findings -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set node = nodes | first -%}
    {%- if node -%}
        {%- set parts = [node.database, node.schema, node.identifier if node.resource_type == 'source' else node.alias] -%}
    {%- else -%}
        {%- set parts = scd2_master._name_parts(name, target) -%}
    {%- endif -%}
    {%- set relation = scd2_master.find_relation(*parts) if parts else none -%}
    {%- if relation is none -%}
        {%- do findings.append(scd2_master._no_such_table(name, node)) -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return({'relation': relation, 'node': node, 'columns': scd2_master.read_columns(relation)}) }}
{%- endmacro %}


{# The models, seeds, snapshots and sources of this name: none, one, or several and a finding. #}
{% macro _nodes_called(name, findings) -%}
    {%- set called = [] -%}
    {%- for node in graph.nodes.values() if node.resource_type in ['model', 'seed', 'snapshot'] -%}
        {%- if name in [node.name, node.unique_id, node.alias] -%}
            {%- do called.append(node) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for node in graph.sources.values() if name in [node.source_name ~ '.' ~ node.name, node.unique_id] -%}
        {%- do called.append(node) -%}
    {%- endfor -%}
    {%- if called | length > 1 -%}
        {%- do findings.append(scd2_master._finding(
            'invalid_option', 'the name ' ~ name ~ ' stands for ' ~ called | map(attribute='unique_id') | join(' and '),
            'Use one of these unique ids'
        )) -%}
    {%- endif -%}
    {{ return(called) }}
{%- endmacro %}


{% macro _no_such_table(name, node) -%}
    {%- if node -%}
        {{ return(scd2_master._finding(
            'invalid_option', node.unique_id ~ ' has no table in the database', 'Build it first, or choose another target'
        )) }}
    {%- endif -%}
    {%- set names = [] -%}
    {%- for known in graph.nodes.values() if known.resource_type in ['model', 'seed', 'snapshot'] -%}
        {%- do names.append(known.name) -%}
    {%- endfor -%}
    {%- for known in graph.sources.values() -%}
        {%- do names.append(known.source_name ~ '.' ~ known.name) -%}
    {%- endfor -%}
    {%- set near = scd2_master._near_names(name | string, names) -%}
    {{ return(scd2_master._finding(
        'invalid_option', 'there is no model, seed, snapshot, source or table ' ~ scd2_master._shown(name),
        ('Did you mean ' ~ near | join(', ') ~ '? ' if near else '')
        ~ 'Give the name of one, source.table, or [database.][schema.]identifier'
    )) }}
{%- endmacro %}
