{# The whole new history as a query: every recorded version as the changes leave it, then the versions they open. #}
{% macro rebuild_sql(scd2, layout, changes, prior_relation, effective_date) -%}
    {%- set day = scd2_master.boundary_literal(effective_date, scd2.validity_type) -%}
with opened as (
    select
        {%- for column in layout.columns %}
        {{ scd2_master._opened_value(scd2, column, day) }} as {{ column.quoted }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ changes }} as changes
    where changes.scd2_action in ('opened', 'changed')
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
        {{ scd2_master._kept_value(scd2, column, day) }} as {{ column.quoted }}{{ ',' if not loop.last }}
        {%- endfor %}
    from recorded
    left join {{ changes }} as changes
        on recorded.{{ layout.is_current.alias }} and {{ scd2_master._same_key(layout, 'recorded', 'changes') }}
    where changes.scd2_action is distinct from 'removed'
)

select * from kept
union all
select * from opened
{%- else %}

select * from opened
{%- endif %}
{%- endmacro %}


{# The value of a column on a version that opens at the effective date. #}
{% macro _opened_value(scd2, column, day) -%}
    {{ return({
        'valid_from': day,
        'valid_to': scd2_master.boundary_literal(scd2.max_date, scd2.validity_type),
        'is_current': scd2_master._flag(column, 'true'),
    }.get(column.role, 'changes.' ~ column.alias)) }}
{%- endmacro %}


{# The value of a column on a recorded version. A column that left the source keeps what was recorded. #}
{% macro _kept_value(scd2, column, day) -%}
    {%- set recorded = 'recorded.' ~ column.alias -%}
    {%- set ends = "changes.scd2_action in ('changed', 'closed')" -%}
    {%- if column.role == 'valid_to' -%}
        {{ return('case when ' ~ ends ~ ' then ' ~ day ~ ' else ' ~ recorded ~ ' end') }}
    {%- elif column.role == 'is_current' -%}
        {{ return(scd2_master._flag(column, '(' ~ recorded ~ ' and not coalesce(' ~ ends ~ ', false))')) }}
    {%- elif column.source and column.role != 'key' -%}
        {{ return("case when changes.scd2_action = 'restated' then changes." ~ column.alias ~ ' else ' ~ recorded ~ ' end') }}
    {%- endif -%}
    {{ return(recorded) }}
{%- endmacro %}


{# A condition as the flag's type. #}
{% macro _flag(column, condition) -%}
    {%- if column.type | lower in ['boolean', 'bool'] -%}
        {{ return(condition) }}
    {%- endif -%}
    {{ return('cast(case when ' ~ condition ~ ' then 1 else 0 end as ' ~ column.type ~ ')') }}
{%- endmacro %}
