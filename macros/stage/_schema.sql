{# 'boolean' or 'integer' where a flag of this type can be read, else none. #}
{% macro _flag_type(type) -%}
    {%- if type | lower in ['boolean', 'bool'] -%}
        {{ return('boolean') }}
    {%- endif -%}
    {{ return('integer' if modules.re.fullmatch('u?(tiny|small|big|huge)?int(eger)?', type | lower) else none) }}
{%- endmacro %}


{# prior_not_scd2: the prior needs the key and the three output columns, of types that can be what they should be. #}
{% macro _prior_findings(scd2, recorded, prior_relation) -%}
    {%- set problems = [] -%}
    {%- for name in scd2.unique_key + scd2.interval_names.values() | list if not scd2_master._match(recorded, name) -%}
        {%- do problems.append(name ~ ' is missing') -%}
    {%- endfor -%}
    {%- for role, name in scd2.interval_names.items() if scd2_master._match(recorded, name) -%}
        {%- set column = scd2_master._match(recorded, name) -%}
        {%- set usable = scd2_master._flag_type(column.type) if role == 'is_current'
            else scd2_master.common_type(column.type, scd2_master.boundary_type('timestamp')) -%}
        {%- if not usable -%}
            {%- do problems.append(column.name ~ ' is ' ~ column.type) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return([] if not problems else [scd2_master._finding(
        'prior_not_scd2', prior_relation ~ ' is not an SCD-2 history of this model: ' ~ problems | join(', '),
        'Correct unique_key, scd2_column_names or prior_relation, or load into a new table'
    )]) }}
{%- endmacro %}


{# Sets every column's type; returns type_changed where no type holds the values of source and prior exactly. #}
{% macro _set_types(scd2, columns) -%}
    {%- set findings = [] -%}
    {%- for column in columns -%}
        {%- set wanted = scd2_master._source_type(scd2, column) -%}
        {%- set type = scd2_master.common_type(column.recorded.type, wanted) if column.recorded and wanted else none -%}
        {%- set type = type or (none if column.recorded and wanted else wanted or column.recorded.type) -%}
        {%- if column.role == 'is_current' -%}
            {%- set type = scd2_master._result_flag_type(scd2, column) -%}
        {%- elif type is none or (column.role in scd2.interval_names and type != wanted) -%}
            {%- do findings.append(scd2_master._type_changed(column, wanted)) -%}
        {%- endif -%}
        {%- do column.update({'type': type}) -%}
    {%- endfor -%}
    {{ return(findings) }}
{%- endmacro %}


{# The type that this run brings for a column; none for a column that left the source. #}
{% macro _source_type(scd2, column) -%}
    {%- if column.role in ['valid_from', 'valid_to'] -%}
        {{ return(scd2_master.boundary_type(scd2.validity_type)) }}
    {%- endif -%}
    {%- if column.role in scd2.output_names -%}
        {{ return(scd2_master.hash_type()) }}
    {%- endif -%}
    {{ return(column.source.type if column.source else none) }}
{%- endmacro %}


{% macro _result_flag_type(scd2, column) -%}
    {%- if column.recorded and scd2_master._flag_type(column.recorded.type) == scd2.current_flag_type -%}
        {{ return(column.recorded.type) }}
    {%- endif -%}
    {{ return(scd2.current_flag_type) }}
{%- endmacro %}


{% macro _type_changed(column, wanted) -%}
    {{ return(scd2_master._finding(
        'type_changed', 'column ' ~ column.name ~ ' is recorded as ' ~ column.recorded.type ~ ' and now comes as ' ~ wanted
        ~ '; no type holds the values of both exactly',
        "Cast it in the model's SELECT" if column.source else (
            'Give the hash column another name' if column.role in ['version_key', 'tracked_hash']
            else 'Set validity_type back to timestamp'
        )
    )) }}
{%- endmacro %}


{% macro _nothing_tracked() -%}
    {{ return(scd2_master._finding(
        'missing_tracked_columns', "none of the tracked columns is recorded, and on_schema_change 'ignore' adds no column",
        'Set on_schema_change to append_new_columns, or track a recorded column'
    )) }}
{%- endmacro %}


{# on_schema_change 'fail': any difference of names or types between the source and the recorded columns. #}
{% macro _schema_findings(scd2, columns) -%}
    {%- set changes = [] -%}
    {%- for column in columns if column.role not in scd2.output_names and scd2.on_schema_change == 'fail' -%}
        {%- if not column.recorded -%}
            {%- do changes.append(column.name ~ ' is new') -%}
        {%- elif not column.source -%}
            {%- do changes.append(column.name ~ ' left the source') -%}
        {%- elif column.source.type != column.recorded.type -%}
            {%- do changes.append(column.name ~ ' was ' ~ column.recorded.type ~ ' and is ' ~ column.source.type) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return([] if not changes else [scd2_master._finding(
        'schema_changed', 'the source differs from the recorded columns: ' ~ changes | join(', '),
        'Align the SELECT with the table, or set on_schema_change to append_new_columns'
    )]) }}
{%- endmacro %}
