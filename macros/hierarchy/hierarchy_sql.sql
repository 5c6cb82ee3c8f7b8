{# The whole table as a query: the member's columns as they came, then its place. #}
{% macro hierarchy_sql(layout, staging, links, places) -%}
with parents as (
    select distinct parent_key
    from {{ links }}
)

select
    {%- for column in layout.columns %}
    src.{{ scd2_master.quote_name(column.name) }},
    {%- endfor %}
    places.member_level as {{ scd2_master.quote_name('level') }},
    places.level_1 as {{ scd2_master.quote_name('root') }},
    places.member_path as {{ scd2_master.quote_name('path') }},
    parents.parent_key is null as {{ scd2_master.quote_name('is_leaf') }},
    {%- for name in layout.level_columns %}
    places.{{ name }} as {{ scd2_master.quote_name(name) }}{{ ',' if not loop.last }}
    {%- endfor %}
from {{ staging }} as src
inner join {{ places }} as places
    on src.{{ scd2_master.quote_name(layout.member.name) }} = places.member_key
left join parents
    on places.member_key = parents.parent_key
{%- endmacro %}
