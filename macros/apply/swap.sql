{# Puts the new table into the place of the old one, inside the transaction; updates dbt's relation cache. #}
{% macro swap(existing_relation, intermediate_relation, target_relation) -%}
    {%- do drop_relation_if_exists(existing_relation) -%}
    {%- do adapter.rename_relation(intermediate_relation, target_relation) -%}
{%- endmacro %}
