{#
    Stores for each member without a place where its ancestors lead, and returns the relation. Each round doubles the number
    of steps, so that even a chain of a million members takes twenty rounds:

    - ancestor_key: who stands that many steps above; null where the chain leaves the members without a place before. After
      all rounds that is so for those who only stand too deep; all others have arrived in a cycle, at each of its members;
    - smallest_key: the smallest of the keys on the way, the member's own included: in a cycle, in the end, that of the cycle;
    - steps: how many members without a place are on the way, the member itself included.
#}
{% macro _climb(links, places, members, target_relation) -%}
    {%- set climbs = [scd2_master._store(target_relation, 'climbs', scd2_master._first_climbs_sql(links, places))] -%}
    {%- for round in range(members | string | length * 4) if 2 ** round < members -%}
        {%- set query = scd2_master._doubled_climbs_sql(climbs[-1]) -%}
        {%- do climbs.append(scd2_master._store(target_relation, 'climbs_' ~ round, query)) -%}
        {%- do adapter.drop_relation(climbs[-2]) -%}
    {%- endfor -%}
    {{ return(climbs[-1]) }}
{%- endmacro %}


{% macro _first_climbs_sql(links, places) -%}
with unplaced as (
    select
        links.member_key,
        links.parent_key
    from {{ links }} as links
    left join {{ places }} as places
        on links.member_key = places.member_key
    where places.member_key is null
)

select
    unplaced.member_key,
    unplaced.parent_key,
    parents.member_key as ancestor_key,
    unplaced.member_key as smallest_key,
    1 as steps
from unplaced
left join unplaced as parents
    on unplaced.parent_key = parents.member_key
{%- endmacro %}


{% macro _doubled_climbs_sql(climbs) -%}
select
    lower.member_key,
    lower.parent_key,
    upper.ancestor_key,
    case
        when upper.smallest_key < lower.smallest_key then upper.smallest_key
        else lower.smallest_key
    end as smallest_key,
    lower.steps + coalesce(upper.steps, 0) as steps
from {{ climbs }} as lower
left join {{ climbs }} as upper
    on lower.ancestor_key = upper.member_key
{%- endmacro %}


{# Up to five cycles, each from its smallest key downwards, of a long one the first keys. #}
{% macro _cycles_sql(climbs) -%}
    {%- set shown = 20 -%}
with recursive arrivals as (
    select distinct ancestor_key
    from {{ climbs }}
),

cycle_members as (
    select
        climbs.member_key,
        climbs.parent_key,
        climbs.smallest_key
    from {{ climbs }} as climbs
    inner join arrivals
        on climbs.member_key = arrivals.ancestor_key
),

cycles as (
    select
        smallest_key,
        count(*) as n,
        row_number() over (order by smallest_key asc) as place,
        count(*) over () as total
    from cycle_members
    group by smallest_key
),

walks as (
    select
        cycles.*,
        cycles.smallest_key as member_key,
        1 as steps,
        {{ scd2_master.as_text('cycles.smallest_key') }} as walk
    from cycles
    where cycles.place <= 5
    union all
    select
        walks.smallest_key,
        walks.n,
        walks.place,
        walks.total,
        cycle_members.member_key,
        walks.steps + 1 as steps,
        walks.walk || ' > ' || {{ scd2_master.as_text('cycle_members.member_key') }} as walk
    from walks
    inner join cycle_members
        on walks.member_key = cycle_members.parent_key
    where cycle_members.member_key <> walks.smallest_key and walks.steps < {{ shown }}
)

select
    walk || case when n > {{ shown }} then ' > ...' else '' end
    || ' > ' || {{ scd2_master.as_text('smallest_key') }} as offender,
    n,
    total
from walks
where steps = n or steps = {{ shown }}
order by place
{%- endmacro %}


{# The five deepest of the members that stand too deep. #}
{% macro _too_deep_sql(hierarchy, climbs) -%}
with too_deep as (
    select
        {{ hierarchy.levels }} + steps as member_level,
        {{ scd2_master._key_text(['member_key']) }} as member
    from {{ climbs }}
    where ancestor_key is null
)

select
    member || ' on level ' || {{ scd2_master.as_text('member_level') }} as offender,
    member_level as deepest,
    1 as n,
    count(*) over () as total
from too_deep
order by member_level desc, member asc
limit 5
{%- endmacro %}
