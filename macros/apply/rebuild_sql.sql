{# The whole new history as a query: every recorded version as the changes leave it, then the versions they insert. #}
{% macro rebuild_sql(scd2, layout, changes, prior_relation) -%}
with inserted as (
    {{ scd2_master._inserted_sql(scd2, layout, changes) }}
)
{%- if prior_relation %},

recorded as (
    select
        {%- for column in layout.columns %}
        {{ column.recorded_sql }} as {{ column.alias }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ prior_relation }} as hist
),

kept as (
    select
        {%- for column in layout.columns %}
        {{ scd2_master._kept_value(scd2, column, 'recorded.' ~ column.alias) }} as {{ column.quoted }}{{ ',' if not loop.last }}
        {%- endfor %}
    from recorded
    left join {{ changes }} as changes
        on {{ scd2_master._same_key(layout, 'recorded', 'changes') }}
        and recorded.{{ layout.valid_to.alias }} = changes.scd2_recorded_to
    where changes.scd2_write is distinct from 'delete'
)

select * from kept
union all
select * from inserted
{%- else %}

select * from inserted
{%- endif %}
{%- endmacro %}


{# The versions that the changes insert, as a query. #}
{% macro _inserted_sql(scd2, layout, changes) -%}
select
        {%- for column in layout.columns %}
        {{ scd2_master._inserted_value(scd2, column) }} as {{ column.quoted }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ changes }} as changes
    where changes.scd2_write = 'insert'
{%- endmacro %}


{#
    The value of a column on a recorded version that stays; `recorded` is the one that it has. A column that left the source keeps
    what was recorded.
#}
{% macro _kept_value(scd2, column, recorded) -%}
    {%- if column.role == 'is_current' -%}
        {%- set unchanged = 'changes.scd2_to is null and ' ~ recorded -%}
        {{ return(scd2_master._flag(column, '((' ~ unchanged ~ ') or ' ~ scd2_master._ends_at_max_date(scd2) ~ ')')) }}
    {%- elif column.role == 'valid_to' -%}
        {{ return('coalesce(changes.scd2_to, ' ~ recorded ~ ')') }}
    {%- elif column.role == 'type1' -%}
        {{ return('case when changes.scd2_type1 then changes.' ~ column.alias ~ ' else ' ~ recorded ~ ' end') }}
    {%- elif scd2_master._is_restated(column) -%}
        {{ return(
            "case when changes.scd2_action = 'restated' then changes." ~ column.alias ~ ' else ' ~ recorded ~ ' end'
        ) }}
    {%- endif -%}
    {{ return(recorded) }}
{%- endmacro %}
