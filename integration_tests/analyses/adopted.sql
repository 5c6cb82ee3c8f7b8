{%- set run = example_run(input_kind='change_log', recorded=false) -%}
{{ scd2_master._adopted_sql(run.scd2, run.layout, run.staging) }}
