{# The constraint types that a contract of a history must not have on this engine, each with the reason. #}
{% macro refused_constraints() -%}
    {{ return(adapter.dispatch('refused_constraints', 'scd2_master')()) }}
{%- endmacro %}


{% macro default__refused_constraints() -%}
    {{ return({}) }}
{%- endmacro %}


{# DuckDB notes on the referenced table the name that this one was created under, and does not follow a rename. #}
{% macro duckdb__refused_constraints() -%}
    {{ return({'foreign_key': 'DuckDB could never replace or drop the referenced table again'}) }}
{%- endmacro %}
