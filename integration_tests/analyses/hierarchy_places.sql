{%- set run = example_hierarchy() -%}
{{ scd2_master._places_sql(run.hierarchy, run.layout, run.links) }}
