{# Makes the table of the run log visible to other connections, where creating it did not. #}
{% macro commit_run_log() -%}
    {{ return(adapter.dispatch('commit_run_log', 'scd2_master')()) }}
{%- endmacro %}


{% macro default__commit_run_log() -%}
{%- endmacro %}


{# Every statement is in a transaction; dbt knows of it since it created the schema. #}
{% macro postgres__commit_run_log() -%}
    {%- do adapter.commit() -%}
{%- endmacro %}
