{# A column name as it is written into SQL; adapter.quote() alone does not escape a quote inside the name. #}
{% macro quote_name(name) -%}
    {{ return(adapter.dispatch('quote_name', 'scd2_master')(name)) }}
{%- endmacro %}


{% macro default__quote_name(name) -%}
    {{ return(adapter.quote(name | replace('"', '""'))) }}
{%- endmacro %}
