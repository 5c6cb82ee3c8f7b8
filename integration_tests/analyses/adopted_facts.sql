{%- set run = example_run() -%}
{{ scd2_master._adopted_facts_sql(run.layout, run.prior) }}
