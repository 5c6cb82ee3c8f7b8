{#
    Brings the source's columns, the prior's and the configured names together. Returns

    - columns: one dict per column of the result, in its order: name, quoted, role (key, tracked, carried, type0, type1,
      version_key, tracked_hash, valid_from, valid_to, is_current), type, alias (its name in intermediate SQL: no user's
      name can collide with it), source and recorded (the column there, or none), and as SQL `incoming` (over `src`, the
      staging relation) and `recorded_sql` (over `hist`, the prior);
    - key, tracked, type0, type1: the columns of these roles; data: all but the output columns; valid_from, valid_to, is_current: the one column each;
    - version_key_parts, tracked_hash_parts: the columns that go into the hashes, in the order of the configuration;
    - date_column: the effective-date column in the source, or none.

    Raises what needs names and types alone: SPEC section 5 (unknown_column, overlapping_roles, reserved_column,
    prior_not_scd2) and section 6.
#}
{% macro resolve_columns(scd2, source, recorded=none, prior_relation=none) -%}
    {%- set findings = [] -%}
    {%- set roles = scd2_master._source_roles(scd2, source, recorded or [], findings) -%}
    {%- if scd2.deleted_when -%}
        {%- set problem = scd2_master.condition_problem(scd2.deleted_when, source) -%}
        {%- do findings.append(scd2_master._invalid_option('deleted_when', scd2.deleted_when, problem)) if problem -%}
    {%- endif -%}
    {%- if recorded is not none -%}
        {%- do findings.extend(scd2_master._prior_findings(scd2, recorded, prior_relation)) -%}
    {%- endif -%}
    {%- do scd2_master.raise_findings(scd2.model, findings) -%}
    {%- set columns = scd2_master._paired_columns(scd2, source, recorded or [], roles) -%}
    {%- do findings.extend(scd2_master._set_types(scd2, columns)) -%}
    {%- if recorded is not none -%}
        {%- do findings.extend(scd2_master._schema_findings(scd2, columns)) -%}
    {%- endif -%}
    {%- if not columns | selectattr('role', 'equalto', 'tracked') | list -%}
        {%- do findings.append(scd2_master._nothing_tracked()) -%}
    {%- endif -%}
    {%- do findings.extend(scd2_master._incomparable_keys(columns)) -%}
    {%- do scd2_master.raise_findings(scd2.model, findings) -%}
    {%- set layout = scd2_master._layout(scd2, columns, source) -%}
    {%- do layout.update(scd2_master._hash_parts(scd2, layout, source)) -%}
    {%- for column in columns -%}
        {%- do column.update({'recorded_sql': scd2_master._recorded_sql(scd2, column, layout)}) -%}
    {%- endfor -%}
    {{ return(layout) }}
{%- endmacro %}


{# invalid_option: rows are matched by the equality of their keys. #}
{% macro _incomparable_keys(columns) -%}
    {%- set findings = [] -%}
    {%- for column in columns if column.role == 'key' and column.type and scd2_master.comparable('key', column.type) != 'key' -%}
        {%- do findings.append(scd2_master._finding(
            'invalid_option', 'column ' ~ column.name ~ ' of unique_key is of type ' ~ column.type ~ ', whose values have no equality',
            "Cast it in the model's SELECT, or name another column in unique_key"
        )) -%}
    {%- endfor -%}
    {{ return(findings) }}
{%- endmacro %}


{# Columns of the result in its order: the prior's, then what the source has more, then output columns it does not have yet. #}
{% macro _paired_columns(scd2, source, recorded, roles) -%}
    {%- set data = source | selectattr('name', 'in', roles) | list -%}
    {%- set columns = [] -%}
    {%- set matched = [] -%}
    {%- for column in recorded -%}
        {%- set output = scd2_master._output_role(scd2, column.name) -%}
        {%- set origin = none if output else scd2_master._counterpart(data, column.name, recorded) -%}
        {%- do matched.append(origin.name if origin else none) -%}
        {%- do columns.append({
            'name': column.name, 'role': output or (roles[origin.name] if origin else 'carried'),
            'source': origin, 'recorded': column
        }) -%}
    {%- endfor -%}
    {%- for column in data if column.name not in matched and not (recorded and scd2.on_schema_change == 'ignore') -%}
        {%- do columns.append({'name': column.name, 'role': roles[column.name], 'source': column, 'recorded': none}) -%}
    {%- endfor -%}
    {%- for role, name in scd2.output_names.items() if role not in columns | map(attribute='role') -%}
        {%- do columns.append({'name': name, 'role': role, 'source': none, 'recorded': none}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}


{# The role of the output column of this name, none where there is none. #}
{% macro _output_role(scd2, name) -%}
    {%- for role, output in scd2.output_names.items() if output | lower == name | lower -%}
        {{ return(role) }}
    {%- endfor -%}
    {{ return(none) }}
{%- endmacro %}


{% macro _layout(scd2, columns, source) -%}
    {%- set layout = {'columns': columns, 'date_column': scd2_master._match(source, scd2.effective_date_column or '')} -%}
    {%- for column in columns -%}
        {%- do column.update({
            'alias': 'c' ~ loop.index,
            'quoted': scd2_master.quote_name(column.name),
            'incoming': scd2_master._column_sql('src', column.source, column.type),
        }) -%}
    {%- endfor -%}
    {%- for role in ['key', 'tracked', 'type0', 'type1'] -%}
        {%- do layout.update({role: columns | selectattr('role', 'equalto', role) | list}) -%}
    {%- endfor -%}
    {%- for role in scd2.interval_names -%}
        {%- do layout.update({role: columns | selectattr('role', 'equalto', role) | first}) -%}
    {%- endfor -%}
    {{ return(dict(layout, data=columns | rejectattr('role', 'in', scd2.output_names) | list)) }}
{%- endmacro %}


{# The columns of the two hashes. The order of the configuration counts, that of the source does not. #}
{% macro _hash_parts(scd2, layout, source) -%}
    {%- set parts = {'version_key_parts': scd2.unique_key, 'tracked_hash_parts': scd2_master._tracked_names(scd2)} -%}
    {%- for hash, names in parts.items() -%}
        {%- set columns = [] -%}
        {%- for name in names -%}
            {%- set origin = scd2_master._match(source, name) -%}
            {%- do columns.extend(layout.data | selectattr('source', 'equalto', origin) | list) -%}
        {%- endfor -%}
        {%- do parts.update({hash: columns}) -%}
    {%- endfor -%}
    {{ return(parts if scd2.tracked_columns != 'all' else dict(parts, tracked_hash_parts=layout.tracked)) }}
{%- endmacro %}


{# A column of `relation_alias` as `type`; null where it has none. #}
{% macro _column_sql(relation_alias, column, type) -%}
    {%- if column is none -%}
        {{ return('cast(null as ' ~ type ~ ')') }}
    {%- endif -%}
    {%- set name = relation_alias ~ '.' ~ scd2_master.quote_name(column.name) -%}
    {{ return(name if column.type == type else 'cast(' ~ name ~ ' as ' ~ type ~ ')') }}
{%- endmacro %}


{#
    A column of a recorded version. The flag is read as a condition, whichever of its types the prior has; a hash that is
    not recorded is computed.
#}
{% macro _recorded_sql(scd2, column, layout=none) -%}
    {%- if column.role in ['version_key', 'tracked_hash'] and not column.recorded -%}
        {{ return(scd2_master._hash_of(layout, column.role, 'hist', layout.valid_from.recorded_sql)) }}
    {%- elif column.role == 'is_current' and not column.recorded -%}
        {{ return('false') }}
    {%- elif column.role == 'is_current' -%}
        {%- set flag = 'hist.' ~ scd2_master.quote_name(column.recorded.name) -%}
        {{ return(flag if scd2_master._flag_type(column.recorded.type) == 'boolean' else flag ~ ' = 1') }}
    {%- endif -%}
    {{ return(scd2_master._column_sql('hist', column.recorded, column.type)) }}
{%- endmacro %}
