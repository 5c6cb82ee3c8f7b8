{%- set run = example_run(input_kind='snapshot_series') -%}
{{ scd2_master.merge_sql(run.scd2, run.layout, run.changes, run.prior) }}
