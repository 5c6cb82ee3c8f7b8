{# The columns of a relation, in order: [{'name', 'type'}]; none without a relation. #}
{% macro read_columns(relation) -%}
    {{ return(scd2_master.columns_of(relation) if relation else none) }}
{%- endmacro %}
