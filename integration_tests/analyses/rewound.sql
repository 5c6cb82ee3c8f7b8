{%- set run = example_run() -%}
{{ scd2_master._rewind_sql(run.scd2, run.layout, run.prior, '2026-04-01')[1] }}
