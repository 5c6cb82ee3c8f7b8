{# Findings about the relations that the run writes, before anything is read. #}
{% macro validate_target(scd2, existing_relation) -%}
    {%- set findings = [] -%}
    {%- for relation in [existing_relation, load_cached_relation(scd2.run_log) if scd2.run_log else none]
            if relation and not relation.is_table -%}
        {%- do findings.append(scd2_master._finding(
            'target_not_table', relation ~ ' exists and is a ' ~ relation.type ~ ', not a table'
            ~ (' (dbt clone makes a view on engines that cannot clone)' if relation.is_view else ''),
            'Drop or rename it, or give the model another alias'
        )) -%}
    {%- endfor -%}
    {{ return(findings) }}
{%- endmacro %}
