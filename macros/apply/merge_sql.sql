{# One statement that writes the changes into the own table: versions that nothing touches are neither read nor written. #}
{% macro merge_sql(scd2, layout, changes, target_relation) -%}
merge into {{ target_relation }} as hist
using {{ changes }} as changes
    on {{ scd2_master._same_key(layout, 'hist', 'changes') }}
    and {{ layout.valid_to.recorded_sql }} = changes.scd2_recorded_to
when matched and changes.scd2_write = 'delete' then delete
when matched and changes.scd2_action = 'restated' then update set
    {{ scd2_master._assignments(scd2, layout, restated=true) }}
when matched then update set
    {{ scd2_master._assignments(scd2, layout, restated=false) }}
when not matched and changes.scd2_write = 'insert' then insert (
    {{ layout.columns | map(attribute='quoted') | join(', ') }}
) values (
    {%- for column in layout.columns %}
    {{ scd2_master._inserted_value(scd2, column) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}


{# What an update sets: the end of the version, type 1 values where a row brings them, and the rest of a restated version. #}
{% macro _assignments(scd2, layout, restated) -%}
    {%- set assignments = [] -%}
    {%- for column in layout.columns -%}
        {%- if column.role in ['valid_to', 'is_current'] or (restated and scd2_master._is_restated(column)) -%}
            {%- do assignments.append(column.quoted ~ ' = ' ~ scd2_master._inserted_value(scd2, column)) -%}
        {%- elif column.role == 'type1' -%}
            {%- do assignments.append(
                column.quoted ~ ' = case when changes.scd2_type1 then changes.' ~ column.alias
                ~ ' else hist.' ~ column.quoted ~ ' end'
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(assignments | join(',\n    ')) }}
{%- endmacro %}
