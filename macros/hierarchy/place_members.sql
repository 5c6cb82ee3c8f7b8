{#
    Stores the place of every member that a root reaches within `levels`: its level, its path and the keys on its way. Each
    member has one parent, so each is reached at most once, and those of a cycle, or below one, never.
#}
{% macro place_members(hierarchy, layout, links, target_relation) -%}
    {{ return(scd2_master._store(target_relation, 'places', scd2_master._places_sql(hierarchy, layout, links))) }}
{%- endmacro %}


{% macro _places_sql(hierarchy, layout, links) -%}
    {%- set key_text = scd2_master.as_text('links.member_key') -%}
    {%- set lower_levels = layout.level_columns[1:] -%}
with recursive places as (
    select
        links.member_key,
        1 as member_level,
        {{ key_text }} as member_path,
        links.member_key as level_1{{ ',' if lower_levels }}
        {%- for name in lower_levels %}
        cast(null as {{ layout.member.type }}) as {{ name }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ links }} as links
    where links.parent_key is null
    union all
    select
        links.member_key,
        places.member_level + 1 as member_level,
        places.member_path || ' > ' || {{ key_text }} as member_path,
        places.level_1{{ ',' if lower_levels }}
        {%- for name in lower_levels %}
        case
            when places.member_level = {{ loop.index }} then links.member_key else places.{{ name }}
        end as {{ name }}{{ ',' if not loop.last }}
        {%- endfor %}
    from places
    inner join {{ links }} as links
        on places.member_key = links.parent_key
    where places.member_level < {{ hierarchy.levels }}
)

select * from places
{%- endmacro %}
