{# The aggregate for the 'least' or the 'greatest' value of a group; null where all its values are. #}
{% macro extreme(which, expression, type) -%}
    {{ return(adapter.dispatch('extreme', 'scd2_master')(which, expression, type)) }}
{%- endmacro %}


{% macro default__extreme(which, expression, type) -%}
    {{ return({'least': 'min', 'greatest': 'max'}[which] ~ '(' ~ expression ~ ')') }}
{%- endmacro %}


{# Many types, such as uuid, have an order and yet no min and max. #}
{% macro postgres__extreme(which, expression, type) -%}
    {%- set known = modules.re.fullmatch('smallint|integer|bigint|real|double precision|(numeric|character|text|date|time).*', type) -%}
    {{ return(scd2_master.default__extreme(which, expression if known else scd2_master.as_text(expression), type)) }}
{%- endmacro %}
