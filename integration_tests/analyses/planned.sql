{% set run = example_run() %}
{{ scd2_master.planned_sql(run.scd2, run.layout, run.changes, run.prior) }}
