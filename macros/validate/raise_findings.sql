{# The one place that raises: every finding on a line of its own. Message format: SPEC section 5. #}
{% macro raise_findings(model_id, findings) -%}
    {%- do scd2_master._raise_lines(scd2_master._finding_lines(model_id, findings)) -%}
{%- endmacro %}


{% macro _finding_lines(model_id, findings) -%}
    {%- set lines = [] -%}
    {%- for finding in findings -%}
        {%- do lines.append(
            'scd2_master [' ~ finding.slug ~ '] ' ~ model_id ~ ': ' ~ finding.what ~ '. ' ~ finding.remedy ~ '.'
        ) -%}
    {%- endfor -%}
    {{ return(lines | unique(case_sensitive=true) | list) }}
{%- endmacro %}


{% macro _raise_lines(lines) -%}
    {%- if lines -%}
        {%- do exceptions.raise_compiler_error(lines | join('\n')) -%}
    {%- endif -%}
{%- endmacro %}
