{%- set run = example_hierarchy() -%}
{{ scd2_master._member_offenders_sql(run.hierarchy, run.layout, run.staging) }}
