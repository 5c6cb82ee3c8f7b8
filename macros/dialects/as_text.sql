{# An expression as text, for messages. #}
{% macro as_text(expression) -%}
    {{ return('cast(' ~ expression ~ ' as ' ~ dbt.type_string() ~ ')') }}
{%- endmacro %}
