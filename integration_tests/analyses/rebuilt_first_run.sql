{%- set run = example_run(recorded=false) -%}
{{ scd2_master.rebuild_sql(run.scd2, run.layout, run.changes, run.prior) }}
