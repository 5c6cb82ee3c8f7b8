{# {source column: role} for every source column that goes into the result. #}
{% macro _source_roles(scd2, source, recorded, findings) -%}
    {%- set roles = {} -%}
    {%- set real_names = [] -%}
    {%- for role, names in [('key', scd2.unique_key), ('tracked', scd2_master._tracked_names(scd2)),
                            ('carried', scd2.carried_columns), ('type0', scd2.type0_columns), ('type1', scd2.type1_columns),
                            ('date', scd2_master._as_list(scd2.effective_date_column))] -%}
        {%- for name in names -%}
            {%- set column = scd2_master._match(source, name) -%}
            {%- if column -%}
                {%- do real_names.append(column.name) if role != 'date' or roles.get(column.name) != 'carried' -%}
                {%- do roles.update({column.name: 'carried' if role == 'date' else role}) -%}
            {%- elif role != 'carried' or not scd2_master._match(recorded, name) -%}
                {%- do findings.append(scd2_master._unknown_column(role, name, source)) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- do findings.extend(scd2_master._doubled(real_names)) -%}
    {%- do findings.extend(scd2_master._reserved_findings(scd2, source)) -%}
    {%- set rest = 'tracked' if scd2.tracked_columns == 'all' else 'carried' -%}
    {%- for column in source if column.name not in roles -%}
        {%- do roles.update({column.name: rest}) -%}
    {%- endfor -%}
    {%- if scd2.tracked_columns == 'all' -%}
        {%- do findings.extend(scd2_master._all_findings(scd2, source, recorded, roles)) -%}
    {%- endif -%}
    {%- for name in roles | list if scd2_master._output_role(scd2, name) -%}
        {%- do roles.pop(name) -%}
    {%- endfor -%}
    {{ return(roles) }}
{%- endmacro %}


{% macro _tracked_names(scd2) -%}
    {{ return([] if scd2.tracked_columns == 'all' else scd2.tracked_columns) }}
{%- endmacro %}


{% macro _unknown_column(role, name, source, where="the model's SELECT") -%}
    {%- set names = source | map(attribute='name') | list -%}
    {%- set near = scd2_master._near_names(name, names) -%}
    {%- set option = {
        'key': 'unique_key', 'tracked': 'tracked_columns', 'carried': 'carried_columns', 'type0': 'type0_columns',
        'type1': 'type1_columns', 'date': 'effective_date_column', 'parent': 'parent_key'
    }[role] -%}
    {{ return(scd2_master._finding(
        'unknown_column', option ~ ' names ' ~ name ~ ', which ' ~ where ~ ' does not have; it has '
        ~ (names[:50] | join(', ')) ~ (', ...' if names | length > 50 else ''),
        ('Did you mean ' ~ near | join(' or ') ~ '? ' if near else '') ~ 'Correct the option, or select the column'
    )) }}
{%- endmacro %}


{# The consumed effective-date column alone may be named like an output column. #}
{% macro _reserved_findings(scd2, source) -%}
    {%- set findings = [] -%}
    {%- for column in source if scd2_master._output_role(scd2, column.name)
            and not (scd2_master._is_consumed(scd2) and column.name | lower == scd2.effective_date_column | lower) -%}
        {%- do findings.append(scd2_master._finding(
            'reserved_column', 'the source column ' ~ column.name ~ ' is named like an output column of the history',
            'Rename one of the two: in the SELECT, or with scd2_column_names, version_key_column or tracked_hash_column'
        )) -%}
    {%- endfor -%}
    {{ return(findings) }}
{%- endmacro %}


{# With tracked_columns 'all', something must be tracked, and what was recorded must not leave unnoticed. #}
{% macro _all_findings(scd2, source, recorded, roles) -%}
    {%- set findings = [] -%}
    {%- if 'tracked' not in roles.values() -%}
        {%- do findings.append(scd2_master._finding(
            'missing_tracked_columns', "tracked_columns is 'all' and no column is left to track",
            'Select more columns, or carry fewer'
        )) -%}
    {%- endif -%}
    {%- for column in recorded if not scd2_master._counterpart(source, column.name, recorded)
            and not scd2_master._output_role(scd2, column.name)
            and column.name | lower not in (scd2.unique_key + scd2_master._untracked(scd2)) | map('lower') -%}
        {%- do findings.append(scd2_master._finding(
            'unknown_column', "tracked_columns is 'all' and the recorded column " ~ column.name ~ ' left the source',
            'Select it again, or list it in carried_columns to keep it with null on new versions'
        )) -%}
    {%- endfor -%}
    {{ return(findings) }}
{%- endmacro %}
