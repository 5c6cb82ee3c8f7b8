{#
    The statement that stores the new history, with what the adapter adds to a table of its own: a contract's columns and
    constraints, partitions, file formats.
#}
{% macro create_history_as(scd2, relation, query) -%}
    {{ return(adapter.dispatch('create_history_as', 'scd2_master')(scd2, relation, query)) }}
{%- endmacro %}


{% macro default__create_history_as(scd2, relation, query) -%}
    {{ get_create_table_as_sql(False, relation, query) }}
{%- endmacro %}


{# dbt's own statement would run the sql_header a second time; with a contract it does so in a plain table, too #}
{% macro duckdb__create_history_as(scd2, relation, query) -%}
    {%- if scd2.sql_header and not scd2.contract.enforced -%}
create table {{ relation }} as (
    {{ query }}
)
    {%- else -%}
        {{ scd2_master.default__create_history_as(scd2, relation, query) }}
    {%- endif -%}
{%- endmacro %}


{% macro postgres__create_history_as(scd2, relation, query) -%}
    {{ scd2_master.duckdb__create_history_as(scd2, relation, query) }}
{%- endmacro %}
