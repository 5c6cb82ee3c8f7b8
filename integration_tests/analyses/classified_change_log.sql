{%- set run = example_run(input_kind='change_log') -%}
{{ scd2_master.classified_sql(run.scd2, run.layout, run.staging, run.prior, run.facts) }}
