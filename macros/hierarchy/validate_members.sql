{# Raises what is wrong with single members: null_key, duplicate_key, multiple_parents, orphan_parent. Rule: SPEC section 8. #}
{% macro validate_members(hierarchy, layout, staging) -%}
    {%- set rows = run_query(scd2_master._member_offenders_sql(hierarchy, layout, staging)) -%}
    {%- set findings = [] -%}
    {%- for reason, group in rows | groupby('reason') -%}
        {%- do findings.append(scd2_master._member_offence(layout, reason, scd2_master._listed(group))) -%}
    {%- endfor -%}
    {%- do scd2_master.raise_findings(hierarchy.model, findings) -%}
{%- endmacro %}


{% macro _member_offence(layout, reason, offenders) -%}
    {%- set what, remedy = {
        'null_key': ['unique_key (' ~ layout.member.name ~ ') is null', 'Filter or complete these rows'],
        'duplicate_key': [
            'unique_key (' ~ layout.member.name ~ ') occurs more than once', 'Make the SELECT return one row per member'
        ],
        'multiple_parents': [
            'members have more than one ' ~ layout.parent.name, 'Make the SELECT return one row, with one parent, per member'
        ],
        'orphan_parent': [
            'values of ' ~ layout.parent.name ~ ' are no member',
            "Add these members, set the parents to null, or set orphans to 'root'"
        ],
    }[reason] -%}
    {{ return(scd2_master._finding(reason, what ~ ': ' ~ offenders, remedy)) }}
{%- endmacro %}


{% macro _member_offenders_sql(hierarchy, layout, staging) -%}
    {%- set member = scd2_master._column_sql('src', layout.member, layout.type) -%}
    {%- set parent = scd2_master._column_sql('src', layout.parent, layout.type) -%}
with members as (
    select
        {{ member }} as member_key,
        {{ scd2_master.extreme('least', parent, layout.type) }} as first_parent,
        {{ scd2_master.extreme('greatest', parent, layout.type) }} as last_parent,
        count(*) as n,
        count({{ parent }}) as under_parents
    from {{ staging }} as src
    group by {{ member }}
),

refused as (
    select
        *,
        case
            when member_key is null then 'null_key'
            when first_parent < last_parent or under_parents between 1 and n - 1 then 'multiple_parents'
            else 'duplicate_key'
        end as reason
    from members
    where n > 1 or member_key is null
),

offenders as (
    select
        reason,
        {{ scd2_master._key_text(['member_key']) }}
        || case when first_parent is not null then ' under ' || {{ scd2_master.as_text('first_parent') }} else '' end
        || case when first_parent < last_parent then ' and ' || {{ scd2_master.as_text('last_parent') }} else '' end
        || case when under_parents between 1 and n - 1 then ' and null' else '' end as offender,
        n
    from refused
    {%- if hierarchy.orphans == 'error' %}
    union all
    select
        'orphan_parent' as reason,
        {{ scd2_master.as_text(parent) }} || ' over ' || min({{ scd2_master._key_text([member]) }}) as offender,
        count(*) as n
    from {{ staging }} as src
    left join members
        on {{ parent }} = members.member_key
    where members.member_key is null and {{ parent }} is not null
    group by {{ parent }}
    {%- endif %}
),

{{ scd2_master._worst_offenders_sql() }}
{%- endmacro %}
