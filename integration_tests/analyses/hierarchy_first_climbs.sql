{%- set run = example_hierarchy() -%}
{{ scd2_master._first_climbs_sql(run.links, run.places) }}
