{# A boundary as a SQL literal of the interval type: never a zoned type, so the session's time zone has no say. #}
{% macro boundary_literal(boundary, validity_type) -%}
    {{ return(adapter.dispatch('boundary_literal', 'scd2_master')(boundary, validity_type)) }}
{%- endmacro %}


{% macro default__boundary_literal(boundary, validity_type) -%}
    {%- set text = dbt.string_literal(boundary) if boundary else 'null' -%}
    {{ return('cast(' ~ text ~ ' as ' ~ scd2_master.boundary_type(validity_type) | lower ~ ')') }}
{%- endmacro %}
