{% macro _with_entity(names, entity) -%}
    {%- set resolved = [] -%}
    {%- for name in names -%}
        {%- do resolved.append(name | replace('{entity}', entity)) -%}
    {%- endfor -%}
    {{ return(resolved) }}
{%- endmacro %}


{# The names of the three interval columns: {'valid_from': ..., 'valid_to': ..., 'is_current': ...}. #}
{% macro _interval_names(renamed, entity, findings) -%}
    {%- set names = {'valid_from': 'valid_from', 'valid_to': 'valid_to', 'is_current': 'is_current'} -%}
    {%- for key, name in renamed.items() -%}
        {%- if key not in names or not scd2_master._fits(name, 'name') -%}
            {%- do findings.append(scd2_master._invalid_option(
                'scd2_column_names', renamed, 'it must give names to valid_from, valid_to or is_current'
            )) -%}
        {%- else -%}
            {%- do names.update({key: scd2_master._with_entity([name], entity)[0]}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(names) }}
{%- endmacro %}


{# The names of all output columns in the order in which they stand: the hashes that are asked for, then the intervals. #}
{% macro _output_names(options, interval_names, entity, findings) -%}
    {%- set names = {} -%}
    {%- for role in ['version_key', 'tracked_hash'] if options[role ~ '_column'] -%}
        {%- do names.update({role: scd2_master._with_entity([options[role ~ '_column']], entity)[0]}) -%}
    {%- endfor -%}
    {%- do names.update(interval_names) -%}
    {%- for name in names.values() if modules.re.search('[{][^{}]*[}]', name) -%}
        {%- do findings.append(scd2_master._finding(
            'invalid_option', 'the output column ' ~ name ~ ' has a {token} in its name, and only {entity} is one there',
            'Correct the name in scd2_column_names, version_key_column or tracked_hash_column'
        )) -%}
    {%- endfor -%}
    {%- set longest = scd2_master.longest_name() -%}
    {%- for name in names.values() if longest and name.encode('utf-8') | length > longest -%}
        {%- do findings.append(scd2_master._finding(
            'invalid_option', 'the name of the output column ' ~ name ~ ' is longer than ' ~ longest ~ ' bytes',
            'Shorten the name in scd2_column_names, version_key_column or tracked_hash_column'
        )) -%}
    {%- endfor -%}
    {%- if names.values() | map('lower') | unique | list | length < names | length -%}
        {%- do findings.append(scd2_master._finding(
            'invalid_option', 'output columns have the same name: ' ~ names.values() | join(', '),
            'Give them different names with scd2_column_names, version_key_column and tracked_hash_column'
        )) -%}
    {%- endif -%}
    {{ return(names) }}
{%- endmacro %}


{# The database, schema and identifier that prior_relation names; none where nothing is set. #}
{% macro _prior_parts(prior_relation, own_table, findings) -%}
    {%- if prior_relation is none -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set parts = scd2_master._name_parts(prior_relation, own_table) -%}
    {%- if parts is none -%}
        {%- do findings.append(scd2_master._invalid_option(
            'prior_relation', prior_relation, 'it must be identifier, schema.identifier or database.schema.identifier'
        )) -%}
    {%- endif -%}
    {{ return(parts) }}
{%- endmacro %}


{# 'a.b."c.d"' as ['a', 'b', 'c.d'], what is left out taken from `home`; none where it is not of this form. #}
{% macro _name_parts(name, home) -%}
    {%- set part = '"(?:[^"]|"")+"|[^".]+' -%}
    {%- if not modules.re.fullmatch('(?:' ~ part ~ ')(?:[.](?:' ~ part ~ ')){0,2}', name | string) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set parts = [] -%}
    {%- for text in modules.re.findall(part, name | string) -%}
        {%- do parts.append(text[1:-1] | replace('""', '"') if text.startswith('"') else text) -%}
    {%- endfor -%}
    {{ return([home.database, home.schema][:3 - parts | length] + parts) }}
{%- endmacro %}
