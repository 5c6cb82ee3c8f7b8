{#
    The source's columns and the configured names brought together. Returns

    - columns: the member's columns in source order, each {name, type};
    - member and parent: the columns that hold the two keys;
    - type: the type in which the two are compared; level_columns: the names of the level_ columns.

    Raises what needs names and types alone: unknown_column, overlapping_roles, reserved_column and invalid_option.
#}
{% macro resolve_members(hierarchy, source) -%}
    {%- set findings = [] -%}
    {%- set found = {} -%}
    {%- for role, name in {'key': hierarchy.unique_key, 'parent': hierarchy.parent_key}.items() -%}
        {%- do found.update({role: scd2_master._match(source, name)}) -%}
        {%- do findings.append(scd2_master._unknown_column(role, name, source)) if not found[role] -%}
    {%- endfor -%}
    {%- set layout = {
        'columns': source, 'member': found.key, 'parent': found.parent, 'level_columns': scd2_master._level_columns(hierarchy)
    } -%}
    {%- do findings.extend(scd2_master._reserved_in_hierarchy(layout)) -%}
    {%- if found.key and found.parent -%}
        {%- do layout.update({'type': scd2_master.common_type(found.key.type, found.parent.type)}) -%}
        {%- do findings.extend(scd2_master._key_findings(layout)) -%}
    {%- endif -%}
    {%- do scd2_master.raise_findings(hierarchy.model, findings) -%}
    {{ return(layout) }}
{%- endmacro %}


{% macro _level_columns(hierarchy) -%}
    {%- set names = [] -%}
    {%- for number in range(hierarchy.levels) -%}
        {%- do names.append('level_' ~ (number + 1)) -%}
    {%- endfor -%}
    {{ return(names) }}
{%- endmacro %}


{% macro _reserved_in_hierarchy(layout) -%}
    {%- set outputs = ['level', 'root', 'path', 'is_leaf'] + layout.level_columns -%}
    {%- set taken = [] -%}
    {%- for column in layout.columns if column.name | lower in outputs -%}
        {%- do taken.append(column.name) -%}
    {%- endfor -%}
    {{ return([] if not taken else [scd2_master._finding(
        'reserved_column', 'source columns are named like output columns of the hierarchy: ' ~ taken | join(', '),
        'Rename them in the SELECT'
    )]) }}
{%- endmacro %}


{# The keys of member and parent are two columns that can be compared exactly. #}
{% macro _key_findings(layout) -%}
    {%- if layout.member.name == layout.parent.name -%}
        {{ return([scd2_master._finding(
            'overlapping_roles', 'unique_key and parent_key are the same column, ' ~ layout.member.name,
            'Name the column of the parent in parent_key'
        )]) }}
    {%- elif layout.type is none -%}
        {{ return([scd2_master._finding(
            'invalid_option', 'parent_key ' ~ layout.parent.name ~ ' is ' ~ layout.parent.type ~ ' and unique_key '
            ~ layout.member.name ~ ' is ' ~ layout.member.type ~ '; no type holds the values of both exactly',
            "Cast one of them in the model's SELECT"
        )]) }}
    {%- endif -%}
    {{ return([]) }}
{%- endmacro %}
