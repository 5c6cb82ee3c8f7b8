{# Whether a condition of the configuration holds for a row of the source; null is no. #}
{% macro _holds(condition) -%}
    {{ return('case when (\n' ~ condition ~ '\n) then 1 else 0 end = 1') }}
{%- endmacro %}
