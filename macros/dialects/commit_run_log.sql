{# Makes the table of the run log visible to other connections, where creating it did not. #}
{% macro commit_run_log() -%}
    {{ return(adapter.dispatch('commit_run_log', 'scd2_master')()) }}
{%- endmacro %}


{% macro default__commit_run_log() -%}
{%- endmacro %}


{# The driver opens a transaction before each statement, of which dbt does not know. #}
{% macro postgres__commit_run_log() -%}
    {%- call statement('scd2_commit_run_log', auto_begin=false) -%}
        commit
    {%- endcall -%}
{%- endmacro %}
