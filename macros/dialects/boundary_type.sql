{# The engine's own name of the interval columns' type, as column_type gives it back. #}
{% macro boundary_type(validity_type) -%}
    {{ return(adapter.dispatch('boundary_type', 'scd2_master')(validity_type)) }}
{%- endmacro %}


{% macro default__boundary_type(validity_type) -%}
    {{ return(validity_type | upper) }}
{%- endmacro %}


{% macro postgres__boundary_type(validity_type) -%}
    {{ return({'timestamp': 'timestamp without time zone'}.get(validity_type, validity_type)) }}
{%- endmacro %}
