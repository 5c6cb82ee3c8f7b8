{#
    What the decided events write: one row per event, and one per further recorded version that it touches. `scd2_write` says
    what happens to the version: insert, or update and delete of the recorded one whose valid_to is `scd2_recorded_to`;
    null where an event ends a version of this run.
#}
{% macro _written_sql(scd2, layout, prior, facts) -%}
    {%- if layout.type0 -%}
{{ scd2_master._first_versions_sql(layout, prior) }},

{% endif -%}
written as (
    {{ scd2_master._event_writes_sql(scd2, layout, facts) }}
    union all
    {{ scd2_master._replaced_versions_sql(scd2, layout) }}
)
{%- if layout.type1 %},

{{ scd2_master._type1_sql(scd2, layout, prior, facts) }}
{%- endif %}

select {{ '\n    ' if scd2.output_names | length > 3 }}written.*
    {%- for column in layout.columns if column.role in ['version_key', 'tracked_hash'] %},
    case
        when written.scd2_write = 'insert' or written.scd2_action = 'restated'
            then {{ scd2_master._hash_of(layout, column.role, 'written', 'written.scd2_from') }}
    end as {{ column.alias }}
    {%- endfor %}
from {{ 'all_written as written' if layout.type1 else 'written' }}
{%- endmacro %}


{# One row per event. Only a key's first event can reach a version that is recorded. #}
{% macro _event_writes_sql(scd2, layout, facts) -%}
    {%- set max_date = scd2_master.boundary_literal(scd2.max_date, scd2.validity_type) -%}
select
        decided.scd2_action,
        true as scd2_counted,
        case
            when decided.scd2_action in ('opened', 'changed') then 'insert'
            when decided.scd2_action = 'removed' then 'delete'
            when decided.scd2_action in ('restated', 'reopened') then 'update'
            when decided.scd2_action = 'closed' and decided.is_first then 'update'
        end as scd2_write,
        case
            when decided.scd2_action = 'reopened' then decided.scd2_at
            when decided.scd2_action in ('removed', 'restated') then {{ max_date }}
            when decided.scd2_action = 'closed' and decided.is_first then {{ max_date }}
        end as scd2_recorded_to,
        {{ scd2_master._opened_from(scd2, facts) }} as scd2_from,
        case
            when decided.scd2_action = 'closed' then decided.scd2_at
            else coalesce(decided.followed_at, {{ max_date }})
        end as scd2_to,
        decided.scd2_at,
        decided.boundary as scd2_boundary,
        (
            decided.is_absent
            and decided.followed_at is null
            and decided.open_from is not null
            and not decided.is_early
        ) as scd2_leaves
        {%- if layout.type1 %},
        decided.brings_type1 as scd2_type1
        {%- endif %},
        {{ scd2_master._written_values(layout) }}
    from decided
    {%- if layout.type0 %}
    left join first_versions
        on {{ scd2_master._same_key(layout, 'decided', 'first_versions') }}
    {%- endif %}
{%- endmacro %}


{# The open versions that another one follows, or that give way to the one before them. #}
{% macro _replaced_versions_sql(scd2, layout) -%}
select
        decided.scd2_action,
        false as scd2_counted,
        case when decided.scd2_action = 'changed' then 'update' else 'delete' end as scd2_write,
        {{ scd2_master.boundary_literal(scd2.max_date, scd2.validity_type) }} as scd2_recorded_to,
        {{ scd2_master.boundary_literal(none, scd2.validity_type) }} as scd2_from,
        decided.scd2_at as scd2_to,
        decided.scd2_at,
        decided.boundary as scd2_boundary,
        false as scd2_leaves
        {%- if layout.type1 %},
        decided.brings_type1 as scd2_type1
        {%- endif %},
        {{ scd2_master._selected(layout.data, 'decided') }}
    from decided
    where decided.is_first and decided.open_from is not null and decided.scd2_action in ('changed', 'reopened')
{%- endmacro %}


{# valid_from of a version that an event opens. Rule: initial_valid_from in SPEC section 2. #}
{% macro _opened_from(scd2, facts) -%}
    {%- set first_date = facts.effective_date or facts.first_date -%}
    {%- if not scd2.initial_valid_from or facts.versions or not first_date -%}
        {{ return('decided.scd2_at') }}
    {%- endif -%}
    {{ return(
        'case when decided.scd2_at = ' ~ scd2_master.boundary_literal(first_date, scd2.validity_type) ~ ' then '
        ~ scd2_master.boundary_literal(scd2.initial_valid_from, scd2.validity_type) ~ ' else decided.scd2_at end'
    ) }}
{%- endmacro %}


{#
    The values of a version that an event opens or restates. Type 0: those of the key's first recorded version, or of the
    first event of this run where there is none or that very version is restated or removed; cast, as a window function forgets the
    limits of a type on some engines.
#}
{% macro _written_values(layout) -%}
    {%- set key = scd2_master._aliases(layout.key, 'decided') -%}
    {%- set values = [] -%}
    {%- for column in layout.data -%}
        {%- set value = 'decided.' ~ column.alias -%}
        {%- do values.append(value if column.role != 'type0' else (
            'cast(case when first_versions.is_open and decided.open_from < min(decided.scd2_at) over (partition by ' ~ key
            ~ ') or not first_versions.is_open then first_versions.' ~ column.alias
            ~ ' else first_value(' ~ value ~ ') over (partition by ' ~ key
            ~ ', decided.is_absent order by decided.scd2_at) end as ' ~ column.type ~ ') as ' ~ column.alias
        )) -%}
    {%- endfor -%}
    {{ return(values | join(',\n        ')) }}
{%- endmacro %}


{# For type 0: the first recorded version of the affected keys. #}
{% macro _first_versions_sql(layout, prior) -%}
    {%- set key = scd2_master._aliases(layout.key, 'affected_keys') -%}
    {%- set interval = layout.valid_from.recorded_sql ~ ', ' ~ layout.valid_to.recorded_sql -%}
affected_keys as (
    select distinct
        {{ scd2_master._selected(layout.key, 'decided') }}
    from decided
),

first_versions as (
    select *
    from (
        select
            {{ scd2_master._aliases(layout.key, 'affected_keys', ',\n            ') }},
            {{ scd2_master._under_aliases(layout.type0, 'recorded_sql') }},
            {{ layout.is_current.recorded_sql }} as is_open,
            row_number() over (partition by {{ key }} order by {{ interval }}) as place
        from {{ prior }}
        inner join affected_keys
            on {{ scd2_master._same_key(layout, 'hist', 'affected_keys') }}
    ) as ranked
    where place = 1
)
{%- endmacro %}
