{# The engine's own name of the hash columns' type, as column_type gives it back. #}
{% macro hash_type() -%}
    {{ return(adapter.dispatch('hash_type', 'scd2_master')()) }}
{%- endmacro %}


{% macro default__hash_type() -%}
    {{ return('VARCHAR') }}
{%- endmacro %}


{% macro postgres__hash_type() -%}
    {{ return('text') }}
{%- endmacro %}
