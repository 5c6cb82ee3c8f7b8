{%- set run = example_hierarchy() -%}
{{ scd2_master._too_deep_sql(run.hierarchy, run.climbs) }}
