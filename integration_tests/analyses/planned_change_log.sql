{% set run = example_run(input_kind='change_log') %}
{{ scd2_master.planned_sql(run.scd2, run.layout, run.changes, run.prior) }}
