{# What writes the changes into the own table, in one step. #}
{% macro write_changes_sql(scd2, layout, changes, target_relation) -%}
    {{ return(adapter.dispatch('write_changes_sql', 'scd2_master')(scd2, layout, changes, target_relation)) }}
{%- endmacro %}


{% macro default__write_changes_sql(scd2, layout, changes, target_relation) -%}
    {{ scd2_master.merge_sql(scd2, layout, changes, target_relation) }}
{%- endmacro %}


{#
    Statements of one transaction: MERGE came with PostgreSQL 15, and it may insert a version before it closes the one before, which a
    unique index on the open versions would refuse.
#}
{% macro postgres__write_changes_sql(scd2, layout, changes, target_relation) -%}
    {%- set touched -%}
{{ scd2_master._same_key(layout, 'hist', 'changes') }}
    and {{ layout.valid_to.recorded_sql }} = changes.scd2_recorded_to
    {%- endset -%}
delete from {{ target_relation }} as hist
using {{ changes }} as changes
where
    {{ touched }}
    and changes.scd2_write = 'delete';

update {{ target_relation }} as hist set
    {{ scd2_master._kept_assignments(scd2, layout) }}
from {{ changes }} as changes
where
    {{ touched }}
    and changes.scd2_write = 'update';

insert into {{ target_relation }} (
    {{ layout.columns | map(attribute='quoted') | join(', ') }}
)
{{ scd2_master._inserted_sql(scd2, layout, changes) }}
{%- endmacro %}


{% macro _kept_assignments(scd2, layout) -%}
    {%- set assignments = [] -%}
    {%- for column in layout.columns -%}
        {%- set kept = scd2_master._kept_value(scd2, column, column.recorded_sql) -%}
        {%- do assignments.append(column.quoted ~ ' = ' ~ kept) if kept != column.recorded_sql -%}
    {%- endfor -%}
    {{ return(assignments | join(',\n    ')) }}
{%- endmacro %}
