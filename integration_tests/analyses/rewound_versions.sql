{%- set run = example_run() -%}
{%- set conditions = scd2_master._rewind_conditions(run.scd2, run.layout, '2026-04-01') -%}
{{ scd2_master._fate_sql(run.layout, run.prior, conditions.reopened) }}
