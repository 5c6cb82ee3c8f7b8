{# The report of a run with --empty or --sample, which leaves an existing history alone. #}
{% macro report_skipped(scd2) -%}
    {%- do store_raw_result(
        'main', message='SCD2 skipped: ' ~ scd2.dry_flag ~ ' never changes an existing history', code='SCD2', rows_affected=0
    ) -%}
{%- endmacro %}
