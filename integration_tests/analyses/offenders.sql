{%- set run = example_run() -%}
{{ scd2_master._offenders_sql(run.scd2, run.layout, run.staging, run.prior) }}
