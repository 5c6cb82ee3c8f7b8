{%- set run = example_run() -%}
{{ scd2_master.rebuild_sql(run.scd2, run.layout, run.changes, run.prior) }}
