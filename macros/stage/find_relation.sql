{#
    The table or view of this name as a relation, none where there is none. Not from dbt's cache, which knows only the
    schemas of the project, and whose look-up fails on a name that differs in case.
#}
{% macro find_relation(database, schema, identifier) -%}
    {%- set folder = api.Relation.create(
        database=dbt.escape_single_quotes(database), schema=dbt.escape_single_quotes(schema)
    ) -%}
    {#- an engine may look for the schema by a pattern, and finds others, too -#}
    {%- set there = {'exact': [], 'alike': []} -%}
    {%- for relation in list_relations_without_caching(folder) if relation['schema'] | lower == schema | lower -%}
        {%- do there['exact' if relation['schema'] == schema else 'alike'].append(relation) -%}
    {%- endfor -%}
    {%- set found = scd2_master._match(there.exact or there.alike, identifier) -%}
    {%- if not found -%}
        {{ return(none) }}
    {%- endif -%}
    {#- a relation renders its parts in quotes and does not escape them -#}
    {{ return(api.Relation.create(
        database=database | replace('"', '""'),
        schema=found['schema'] | replace('"', '""'),
        identifier=found['name'] | replace('"', '""'),
        type=found['type']
    )) }}
{%- endmacro %}
