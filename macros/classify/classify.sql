{#
    Compares the source with the open versions and stores one row per key to which something happens: `scd2_action`,
    `scd2_boundary` (the key's last recorded boundary) and the source's values under the columns' aliases.
#}
{% macro classify(scd2, layout, staging, prior_relation, effective_date, target_relation) -%}
    {%- set changes = make_temp_relation(target_relation, '__scd2_changes') -%}
    {%- call statement('scd2_classify') -%}
        {{ scd2_master.create_staging_as(
            changes, scd2_master.classified_sql(scd2, layout, staging, prior_relation, effective_date)
        ) }}
    {%- endcall -%}
    {{ return(changes) }}
{%- endmacro %}
