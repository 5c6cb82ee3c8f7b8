{#
    The hash of a version as SQL; `role` is version_key or tracked_hash. Its columns are those of `relation`. Every part carries its length, so that no two lists of
    values give the same text, and null is not ''. valid_from counts as a timestamp: switching to one keeps the keys.
#}
{% macro _hash_of(layout, role, relation, valid_from) -%}
    {%- set parts = [] -%}
    {%- for column in layout[role ~ '_parts'] -%}
        {%- do parts.append(scd2_master._hash_part(scd2_master._value_in(relation, column), column.type)) -%}
    {%- endfor -%}
    {%- if role == 'version_key' -%}
        {%- set timestamp = scd2_master.boundary_type('timestamp') -%}
        {%- do parts.append(scd2_master._hash_part('cast(' ~ valid_from ~ ' as ' ~ timestamp ~ ')', timestamp)) -%}
    {%- endif -%}
    {{ return(dbt.hash(parts | join(' || '))) }}
{%- endmacro %}


{% macro _hash_part(expression, type) -%}
    {%- set text = scd2_master.hash_text(expression, type) -%}
    {{ return(
        'case when ' ~ expression ~ " is null then '-' else " ~ scd2_master.as_text(dbt.length(text)) ~ " || ':' || " ~ text ~ ' end'
    ) }}
{%- endmacro %}
