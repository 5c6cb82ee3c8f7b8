{#
    The statement that stores a query as a relation of this run alone, evaluated once. It must vanish with the
    transaction that it was made in when the run fails.
#}
{% macro create_staging_as(relation, query, header=none) -%}
    {{ return(adapter.dispatch('create_staging_as', 'scd2_master')(relation, query, header)) }}
{%- endmacro %}


{% macro default__create_staging_as(relation, query, header) -%}
{{ header or '' }}
create temporary table {{ relation.include(database=false, schema=false) }} as (
    {{ query }}
)
{%- endmacro %}
