{%- set run = example_hierarchy() -%}
{{ scd2_master._doubled_climbs_sql(run.climbs) }}
