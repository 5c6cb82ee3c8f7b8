{%- set run = example_hierarchy() -%}
{{ scd2_master._links_sql(run.hierarchy, run.layout, run.staging) }}
