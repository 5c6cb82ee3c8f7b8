{# The same for a run of a small hierarchy, whose keys are of two types. #}
{% macro example_hierarchy() -%}
    {%- set hierarchy = {
        'model': 'example', 'unique_key': 'territory_id', 'parent_key': 'Parent Id', 'levels': 3, 'self_parent': 'root',
        'orphans': 'error',
    } -%}
    {%- set source = [
        {'name': 'territory_id', 'type': 'INTEGER'}, {'name': 'territory_name', 'type': 'VARCHAR'},
        {'name': 'Parent Id', 'type': 'BIGINT'},
    ] -%}
    {%- set run = {'hierarchy': hierarchy, 'layout': scd2_master.resolve_members(hierarchy, source)} -%}
    {%- for relation in ['staging', 'links', 'places', 'climbs'] -%}
        {%- do run.update({relation: api.Relation.create(identifier='territory_' ~ relation)}) -%}
    {%- endfor -%}
    {{ return(run) }}
{%- endmacro %}
