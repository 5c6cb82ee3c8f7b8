{#
    What is drawn, from the arguments and, for a scd2_master model, its configuration (an argument wins):
    {'relation', 'key', 'labels', 'choose', 'valid_from', 'valid_to', 'max_date', 'wanted'}. `key` and `labels` are the real columns, valid_from
    and valid_to {'name', 'sql'}, `choose` says that labels of which none differs may be left out, `wanted` are the keys as texts, or none.
#}
{% macro _timeline_history(relation, arguments, findings) -%}
    {%- set table = scd2_master._find_table(relation, findings) -%}
    {%- do scd2_master._check_picture(arguments, findings) -%}
    {%- if findings -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set own = table.node and table.node.config.materialized == 'scd2_master' -%}
    {#- a token without its var, say, is no fault here -#}
    {%- set scd2 = scd2_master._read_configuration(table.node, []) if own else {} -%}
    {%- set given = scd2_master._given_columns({
        'unique_key': arguments.unique_key or scd2.unique_key,
        'column_names': arguments.column_names or scd2.get('interval_names'),
    }, false, findings) -%}
    {%- set real = {} -%}
    {%- for role, names in dict(given, columns=scd2_master._as_list(arguments.columns)).items() -%}
        {%- do real.update({role: scd2_master._columns_called(role, names, table, findings)}) -%}
    {%- endfor -%}
    {%- set history = {
        'relation': table.relation,
        'key': real.unique_key,
        'labels': real.columns or scd2_master._default_labels(scd2, arguments.column_names, table, real),
        'choose': not real.columns,
        'valid_from': scd2_master._instants(real.valid_from | first, findings),
        'valid_to': scd2_master._instants(real.valid_to | first, findings),
        'max_date': scd2_master._boundary_option(
            'max_date', arguments.max_date or scd2.max_date or '9999-12-31', 'timestamp', findings
        ),
    } -%}
    {{ return(dict(history, wanted=scd2_master._wanted_keys(arguments['keys'], real.unique_key, findings))) }}
{%- endmacro %}


{% macro _check_picture(arguments, findings) -%}
    {%- if arguments.format not in ['text', 'mermaid', 'svg'] -%}
        {%- do findings.append(scd2_master._invalid_argument('format', arguments.format, 'text, mermaid or svg')) -%}
    {%- endif -%}
    {%- if arguments.width is not integer or not 60 <= arguments.width <= 500 -%}
        {%- do findings.append(scd2_master._invalid_argument('width', arguments.width, 'a whole number from 60 to 500')) -%}
    {%- endif -%}
    {%- if arguments.columns is not none and not scd2_master._fits(arguments.columns, 'name or list') -%}
        {%- do findings.append(scd2_master._invalid_argument(
            'columns', arguments.columns, 'a column name or a list of column names'
        )) -%}
    {%- endif -%}
{%- endmacro %}


{% macro _columns_called(role, names, table, findings) -%}
    {%- set columns = [] -%}
    {%- for name in names -%}
        {%- set column = scd2_master._match(table.columns, name) -%}
        {%- if column -%}
            {%- do columns.append(column) -%}
        {%- else -%}
            {%- do findings.append(scd2_master._unknown_tested_column(role, name, table.relation, table.columns)) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}


{# The tracked columns of the model; elsewhere the first three attributes, or the key where there are none. #}
{% macro _default_labels(scd2, column_names, table, real) -%}
    {%- set taken = (real.unique_key + real.valid_from + real.valid_to) | map(attribute='name') | list
        + (scd2.output_names or {}).values() | list + [(column_names if column_names is mapping else {}).get('is_current', 'is_current')] -%}
    {%- set attributes = table.columns | rejectattr('name', 'in', taken) | list -%}
    {%- set roles = scd2_master._source_roles(scd2, attributes, [], []) if scd2 else {} -%}
    {%- set tracked = [] -%}
    {%- for column in attributes if roles.get(column.name) == 'tracked' -%}
        {%- do tracked.append(column) -%}
    {%- endfor -%}
    {{ return(tracked or attributes[:3] or real.unique_key) }}
{%- endmacro %}


{# An interval column as SQL of the type timestamp. #}
{% macro _instants(column, findings) -%}
    {%- if not column -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set date_sql = scd2_master.effective_date_sql(
        'hist.' ~ scd2_master.quote_name(column.name), column.type, 'timestamp', scd2_master._timezone(findings)
    ) -%}
    {%- if not date_sql -%}
        {%- do findings.append(scd2_master._finding(
            'invalid_option', 'the column ' ~ column.name ~ ' is ' ~ column.type ~ ', and an interval has a date or a timestamp',
            'Name another column in column_names'
        )) -%}
    {%- endif -%}
    {{ return({'name': column.name, 'sql': (date_sql or {}).value}) }}
{%- endmacro %}


{# The keys that were asked for, each a list of texts in the order of the key's columns; none where none were. #}
{% macro _wanted_keys(keys, key, findings) -%}
    {%- if keys is none or not key -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set names = key | map(attribute='name') | list -%}
    {%- set wanted = [] -%}
    {%- for given in ([keys] if keys is mapping else scd2_master._as_list(keys)) -%}
        {%- set values = scd2_master._key_values(given, names) -%}
        {%- if values is none -%}
            {%- do findings.append(scd2_master._invalid_argument(
                'keys', given, 'a value of ' ~ names[0] ~ ', or a list of values' if names | length == 1
                else 'a list of keys, each of them a list of ' ~ names | length ~ ' values or a mapping, for '
                ~ names | join(', ')
            )) -%}
        {%- else -%}
            {%- do wanted.append(values) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(wanted) }}
{%- endmacro %}


{# The values of one key; none where they are not one for each of its columns. #}
{% macro _key_values(given, names) -%}
    {%- set values = [] -%}
    {%- if given is mapping -%}
        {%- set items = [] -%}
        {%- for name, value in given.items() -%}
            {%- do items.append({'name': name | string, 'value': value}) -%}
        {%- endfor -%}
        {%- for name in names if scd2_master._match(items, name) -%}
            {%- do values.append(scd2_master._match(items, name).value) -%}
        {%- endfor -%}
    {%- else -%}
        {%- do values.extend(scd2_master._as_list(given) or [none]) -%}
    {%- endif -%}
    {%- set texts = [] -%}
    {%- for value in values -%}
        {%- do texts.append(value if value is none else (value | string | lower if value is boolean else value | string)) -%}
    {%- endfor -%}
    {{ return(texts if texts | length == names | length else none) }}
{%- endmacro %}
