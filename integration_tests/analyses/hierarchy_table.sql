{%- set run = example_hierarchy() -%}
{{ scd2_master.hierarchy_sql(run.layout, run.staging, run.links, run.places) }}
