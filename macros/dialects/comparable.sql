{# An expression that `=` and `is distinct from` compare by all that it holds. #}
{% macro comparable(expression, type) -%}
    {{ return(adapter.dispatch('comparable', 'scd2_master')(expression, type)) }}
{%- endmacro %}


{% macro default__comparable(expression, type) -%}
    {{ return(expression) }}
{%- endmacro %}


{#
    Types that have no equality, and geometric ones, some of which are equal when their areas or lengths are, are compared as text; so are
    arrays of them.
#}
{% macro postgres__comparable(expression, type) -%}
    {%- set as_text = modules.re.fullmatch('(json|jsonpath|xml|point|line|lseg|box|path|polygon|circle)(\\[\\])*', type) -%}
    {{ return('cast(' ~ expression ~ ' as text)' if as_text else expression) }}
{%- endmacro %}
