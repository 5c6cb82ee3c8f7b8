{# How many bytes a column's name may have before the engine cuts it off without an error; none where it does not. #}
{% macro longest_name() -%}
    {{ return(adapter.dispatch('longest_name', 'scd2_master')()) }}
{%- endmacro %}


{% macro default__longest_name() -%}
    {{ return(none) }}
{%- endmacro %}


{% macro postgres__longest_name() -%}
    {{ return(63) }}
{%- endmacro %}
