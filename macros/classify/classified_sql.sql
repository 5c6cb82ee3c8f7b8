{# Section 3 of the SPEC as a query: source against open versions, one action per key; unaffected keys are left out. #}
{% macro classified_sql(scd2, layout, staging, prior_relation, effective_date) -%}
    {%- set columns = layout.columns | rejectattr('role', 'in', scd2.output_names) | list -%}
with incoming as (
    select
        {%- for column in columns %}
        {{ column.incoming }} as {{ column.alias }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ staging }} as src
)
{%- if prior_relation %},

{{ scd2_master._compared_sql(scd2, layout, columns, prior_relation, effective_date) }}
{%- else %}

select
    'opened' as scd2_action,
    {{ scd2_master.boundary_literal(none, scd2.validity_type) }} as scd2_boundary,
    {{ scd2_master._aliases(columns, 'incoming') }}
from incoming
{%- endif %}
{%- endmacro %}


{# The rest of the query where there is a prior: its CTEs and the action of each affected key. #}
{% macro _compared_sql(scd2, layout, columns, prior_relation, effective_date) -%}
    {%- set day = scd2_master.boundary_literal(effective_date, scd2.validity_type) -%}
open_versions as (
    select
        {%- for column in layout.key + layout.tracked %}
        {{ column.recorded_sql }} as {{ column.alias }},
        {%- endfor %}
        {{ layout.valid_from.recorded_sql }} as open_from
    from {{ prior_relation }} as hist
    where {{ layout.is_current.recorded_sql }}
),

affected as (
    select
        {%- for column in columns %}
        {{ scd2_master._affected_value(column) }},
        {%- endfor %}
        open_versions.open_from,
        {{ scd2_master._is_present('incoming', layout) }} as in_source
    from incoming
    {{ 'full outer' if scd2.close_on_absence else 'left' }} join open_versions
        on {{ scd2_master._same_key(layout, 'incoming', 'open_versions') }}
    where
        open_versions.open_from is null
        or not {{ scd2_master._is_present('incoming', layout) }}
        or {{ scd2_master._tracked_differ(layout) }}
),

last_ends as (
    {{ scd2_master._last_ends_sql(layout, prior_relation) }}
)

select
    {{ scd2_master._action(day) }} as scd2_action,
    coalesce(affected.open_from, last_ends.last_end) as scd2_boundary,
    {{ scd2_master._aliases(columns, 'affected') }}
from affected
left join last_ends
    on {{ scd2_master._same_key(layout, 'affected', 'last_ends') }}
{%- endmacro %}


{# Where the closed versions of the keys end that have no open one: none of them may open before that. #}
{% macro _last_ends_sql(layout, prior_relation) -%}
select
        {{ scd2_master._aliases(layout.key, 'affected', 8) }},
        max({{ layout.valid_to.recorded_sql }}) as last_end
    from {{ prior_relation }} as hist
    inner join affected
        on {{ scd2_master._same_key(layout, none, 'affected') }}
    where affected.open_from is null and not ({{ layout.is_current.recorded_sql }})
    group by {{ scd2_master._aliases(layout.key, 'affected') }}
{%- endmacro %}


{#
    The decision table. Only affected keys come here: new ones, absent ones (with close_on_absence) and those whose
    tracked columns differ. `open_from` is the open version's valid_from, null for a key that has none.
#}
{% macro _action(day) -%}
case
        when coalesce(affected.open_from, last_ends.last_end) > {{ day }} then 'out_of_order'
        when affected.open_from is null then 'opened'
        when not affected.in_source and affected.open_from = {{ day }} then 'removed'
        when not affected.in_source then 'closed'
        when affected.open_from = {{ day }} then 'restated'
        else 'changed'
    end
{%- endmacro %}


{# Null-safe, column by column. #}
{% macro _tracked_differ(layout) -%}
    {%- set differences = [] -%}
    {%- for column in layout.tracked -%}
        {%- do differences.append(
            'incoming.' ~ column.alias ~ ' is distinct from open_versions.' ~ column.alias
        ) -%}
    {%- endfor -%}
    {{ return(differences | join('\n        or ')) }}
{%- endmacro %}


{# Keys are never null in either relation: a null key is what the other side of an outer join left. #}
{% macro _is_present(relation_alias, layout) -%}
    {{ return('(' ~ relation_alias ~ '.' ~ layout.key[0].alias ~ ' is not null)') }}
{%- endmacro %}


{% macro _affected_value(column) -%}
    {%- set incoming = 'incoming.' ~ column.alias -%}
    {%- if column.role == 'key' -%}
        {{ return('coalesce(' ~ incoming ~ ', open_versions.' ~ column.alias ~ ') as ' ~ column.alias) }}
    {%- endif -%}
    {{ return(incoming) }}
{%- endmacro %}
