{# A column's name as the engine knows it if a user writes it without quotes, for columns that cannot be looked up. #}
{% macro unquoted_name(name) -%}
    {{ return(adapter.dispatch('unquoted_name', 'scd2_master')(name)) }}
{%- endmacro %}


{% macro default__unquoted_name(name) -%}
    {{ return(name) }}
{%- endmacro %}


{% macro snowflake__unquoted_name(name) -%}
    {{ return(name | upper if modules.re.fullmatch('[a-z_][a-z0-9_$]*', name) else name) }}
{%- endmacro %}
