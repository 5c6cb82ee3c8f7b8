{# Stores each member with its parent; a member whose parent is null is a root. Reads the guarded source: one row per member. #}
{% macro link_members(hierarchy, layout, staging, target_relation) -%}
    {{ return(scd2_master._store(target_relation, 'links', scd2_master._links_sql(hierarchy, layout, staging))) }}
{%- endmacro %}


{# A null parent, an orphan and, without its own row to join to, a member that is its own parent: all find no parent. #}
{% macro _links_sql(hierarchy, layout, staging) -%}
    {%- set member = scd2_master._column_sql('src', layout.member, layout.type) -%}
    {%- set parent = scd2_master._column_sql('src', layout.parent, layout.type) -%}
select
    src.{{ scd2_master.quote_name(layout.member.name) }} as member_key,
    parents.{{ scd2_master.quote_name(layout.member.name) }} as parent_key
from {{ staging }} as src
left join {{ staging }} as parents
    on
        {{ parent }} = {{ scd2_master._column_sql('parents', layout.member, layout.type) }}
        {%- if hierarchy.self_parent == 'root' %}
        and {{ parent }} <> {{ member }}
        {%- endif %}
{%- endmacro %}
