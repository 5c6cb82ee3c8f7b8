{%- set run = example_run() -%}
{{ scd2_master.classified_sql(run.scd2, run.layout, run.staging, run.prior, run.facts) }}
