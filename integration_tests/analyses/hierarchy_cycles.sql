{%- set run = example_hierarchy() -%}
{{ scd2_master._cycles_sql(run.climbs) }}
