{#
    Section 3 of the SPEC as a query. An event is a source row, or an absence, at its date. Two macros bring events into one
    form, `affected`: at most one per key where the source is a snapshot, any number where its rows bring their dates.
    Events that change nothing are left out.
#}
{% macro classified_sql(scd2, layout, staging, prior_relation, facts) -%}
    {%- set prior = scd2_master._prior_from(prior_relation) -%}
with open_versions as (
    select
        {{ scd2_master._under_aliases(layout.key + layout.tracked, 'recorded_sql') }},
        {{ layout.valid_from.recorded_sql }} as open_from
    from {{ prior }}
    where {{ layout.is_current.recorded_sql }}
),

{% if scd2.input_kind == 'snapshot' -%}
    {{ scd2_master._snapshot_events_sql(scd2, layout, staging, prior, facts) }},
{%- else -%}
    {{ scd2_master._dated_events_sql(scd2, layout, staging, prior, facts) }},
{%- endif %}
{%- if scd2.coalesce_versions %}

{{ scd2_master._ended_versions_sql(layout, prior) }},
{%- endif %}

decided as (
    select
        affected.*,
        {{ scd2_master._action(scd2) }} as scd2_action
    from affected
    {%- if scd2.coalesce_versions %}
    left join ended_versions
        on affected.is_first and {{ scd2_master._same_key(layout, 'affected', 'ended_versions') }}
    {%- endif %}
),

{{ scd2_master._written_sql(scd2, layout, prior, facts) }}
{%- endmacro %}


{#
    The decision table, for events that change something: the key has no open version, or it has one and is absent, or its
    tracked columns differ. `open_from` is the valid_from of the key's recorded open version, null where it has none.
#}
{% macro _action(scd2) -%}
case
            when affected.is_early then 'out_of_order'
            when affected.is_absent and affected.scd2_at = affected.open_from then 'removed'
            when affected.is_absent then 'closed'
            {%- if scd2.coalesce_versions %}
            when ended_versions.says_the_same then 'reopened'
            {%- endif %}
            when not affected.was_present then 'opened'
            when affected.scd2_at = affected.open_from then 'restated'
            else 'changed'
        end
{%- endmacro %}


{# The prior as `hist`; without one, a relation that has no rows. #}
{% macro _prior_from(prior_relation) -%}
    {%- set nothing = '(\n        select 1 as no_version\n        where false\n    )' -%}
    {{ return((prior_relation | string if prior_relation else nothing) ~ ' as hist') }}
{%- endmacro %}


{# Where the closed versions of those keys end that have no open one: none of them may open before that. #}
{% macro _last_ends_sql(layout, prior, keys) -%}
last_ends as (
    select
        {{ scd2_master._selected(layout.key, keys) }},
        max({{ layout.valid_to.recorded_sql }}) as last_end
    from {{ prior }}
    inner join {{ keys }}
        on {{ scd2_master._same_key(layout, 'hist', keys) }}
    where {{ keys }}.open_from is null and not ({{ layout.is_current.recorded_sql }})
    group by {{ scd2_master._aliases(layout.key, keys) }}
)
{%- endmacro %}


{#
    For coalesce_versions: the version that ended where a key's first event would open or restate one, and whether it says
    the same.
#}
{% macro _ended_versions_sql(layout, prior) -%}
ended_versions as (
    select
        {{ scd2_master._selected(layout.key, 'affected') }},
        max(case when {{ scd2_master._differ(layout.tracked, 'hist', 'affected') }} then 1 else 0 end) = 0 as says_the_same
    from {{ prior }}
    inner join affected
        on {{ scd2_master._same_key(layout, 'hist', 'affected') }}
    where
        affected.is_first
        and not affected.is_absent
        and affected.scd2_at = affected.boundary
        and {{ layout.valid_to.recorded_sql }} = affected.scd2_at
        and not ({{ layout.is_current.recorded_sql }})
    group by {{ scd2_master._aliases(layout.key, 'affected') }}
    having count(*) = 1
)
{%- endmacro %}
