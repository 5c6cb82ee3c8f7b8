{# The type of a column of adapter.get_columns_in_relation, as the engine writes it in a cast. #}
{% macro column_type(column) -%}
    {{ return(adapter.dispatch('column_type', 'scd2_master')(column)) }}
{%- endmacro %}


{% macro default__column_type(column) -%}
    {{ return(column.data_type) }}
{%- endmacro %}


{# Of a query the driver knows the dates alone by a name of its own; those of a table come from columns_of. #}
{% macro postgres__column_type(column) -%}
    {{ return({
        'DATE': 'date', 'DATETIME': 'timestamp without time zone', 'DATETIMETZ': 'timestamp with time zone'
    }.get(column.dtype, column.data_type)) }}
{%- endmacro %}


{# data_type would turn VARCHAR into character varying(256) #}
{% macro duckdb__column_type(column) -%}
    {{ return(column.dtype) }}
{%- endmacro %}
