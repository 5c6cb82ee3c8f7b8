{%- set run = example_run(input_kind='snapshot_series') -%}
{{ scd2_master.rebuild_sql(run.scd2, run.layout, run.changes, run.prior) }}
