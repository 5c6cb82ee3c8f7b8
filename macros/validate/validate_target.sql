{# Findings about the model's own relation, before anything is read. #}
{% macro validate_target(scd2, existing_relation) -%}
    {%- if existing_relation and not existing_relation.is_table -%}
        {{ return([scd2_master._finding(
            'target_not_table', existing_relation ~ ' exists and is a ' ~ existing_relation.type ~ ', not a table'
            ~ (' (dbt clone makes a view on engines that cannot clone)' if existing_relation.is_view else ''),
            'Drop or rename it, or give the model another alias'
        )]) }}
    {%- endif -%}
    {{ return([]) }}
{%- endmacro %}
