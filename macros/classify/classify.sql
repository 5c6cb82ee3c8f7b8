{#
    Compares the source with the prior and stores what is to be written, a row per event and per recorded version that it
    touches:

    - scd2_action: what the event does to its key; scd2_counted: false on rows that only complete another one; scd2_at: its date;
    - scd2_write: insert, update or delete of one version; null where a row writes nothing;
    - scd2_recorded_to: valid_to of the recorded version to be updated or deleted, which the prior has once per key;
    - scd2_from, scd2_to: valid_from of an inserted version, valid_to of an inserted or updated one;
    - scd2_boundary: the key's last recorded boundary; scd2_leaves: the key had an open version and ends without one;
    - scd2_type1 (with type1_columns): whether the row brings their values;
    - the values of an inserted or restated version under the columns' aliases.
#}
{% macro classify(scd2, layout, staging, prior_relation, facts, target_relation) -%}
    {%- set changes = make_temp_relation(target_relation, '__scd2_changes') -%}
    {%- call statement('scd2_classify') -%}
        {{ scd2_master.create_staging_as(
            changes, scd2_master.classified_sql(scd2, layout, staging, prior_relation, facts)
        ) }}
    {%- endcall -%}
    {{ return(changes) }}
{%- endmacro %}
