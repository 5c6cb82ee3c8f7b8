{# The type of a column of adapter.get_columns_in_relation, as the engine writes it in a cast. #}
{% macro column_type(column) -%}
    {{ return(adapter.dispatch('column_type', 'scd2_master')(column)) }}
{%- endmacro %}


{% macro default__column_type(column) -%}
    {{ return(column.data_type) }}
{%- endmacro %}


{# data_type would turn VARCHAR into character varying(256) #}
{% macro duckdb__column_type(column) -%}
    {{ return(column.dtype) }}
{%- endmacro %}
