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


{#
    The planner knows nothing of a new table before it is analyzed. The settings keep the texts of dates, numbers and intervals the same
    in every session, to the end of the transaction; they come after the query, which is the user's.
#}
{% macro postgres__create_staging_as(relation, query, header) -%}
{{ scd2_master.default__create_staging_as(relation, query, header) }};
analyze {{ relation.include(database=false, schema=false) }};
set local datestyle = 'ISO, MDY';
set local intervalstyle = 'postgres';
set local extra_float_digits = 1;
set local bytea_output = 'hex'
{%- endmacro %}
