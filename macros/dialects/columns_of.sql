{# The columns of a relation, in order: [{'name', 'type'}], with the type as the engine writes it in a cast. #}
{% macro columns_of(relation) -%}
    {{ return(adapter.dispatch('columns_of', 'scd2_master')(relation)) }}
{%- endmacro %}


{% macro default__columns_of(relation) -%}
    {%- set columns = [] -%}
    {%- for column in adapter.get_columns_in_relation(relation) -%}
        {%- do columns.append({'name': column.name, 'type': scd2_master.column_type(column)}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}


{# dbt asks the information schema, which does not know every type by the name that a cast takes, or with its limits. #}
{% macro postgres__columns_of(relation) -%}
    {%- set query -%}
        select
            attname,
            format_type(atttypid, atttypmod)
        from pg_attribute
        where
            attrelid = {{ scd2_master._postgres_id(relation) }}
            and attnum > 0
            and not attisdropped
        order by attnum
    {%- endset -%}
    {%- set columns = [] -%}
    {%- for name, type in run_query(query) -%}
        {%- do columns.append({'name': name, 'type': type}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}
