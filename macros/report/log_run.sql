{# Appends the run to the run log, if there is one, in the run's own transaction: a run that fails leaves no row. #}
{% macro log_run(scd2, counts, facts) -%}
    {%- if scd2.run_log -%}
        {%- call statement('scd2_log_run') -%}
            {{ scd2_master.log_run_sql(scd2, counts, facts) }}
        {%- endcall -%}
    {%- endif -%}
{%- endmacro %}
