{#
    The options of a history of the source: {'unique_key', 'tracked', 'date', 'input_kind', 'column_names'}, the first three as column dicts, `date` the
    effective-date column or none; or {'problem'}: why there are none.
#}
{% macro _suggest_options(source, keys) -%}
    {%- set chosen = scd2_master._suggested_key(source, keys) -%}
    {%- if not chosen.unique_key -%}
        {{ return({'problem': 'Make the source return one row per business key, then a model can be written.'}) }}
    {%- endif -%}
    {%- set attributes = source.columns | reject('in', chosen.unique_key) | reject('equalto', chosen.date) | list -%}
    {%- set tracked = [] -%}
    {%- for column in attributes if not scd2_master._is_technical(column.name) and 'TIMESTAMP' not in column.type | upper -%}
        {%- do tracked.append(column) -%}
    {%- endfor -%}
    {%- if not attributes -%}
        {{ return({'problem': 'There is no column besides the key, so no history to write.'}) }}
    {%- endif -%}
    {{ return(dict(
        chosen, tracked=tracked or attributes, column_names=scd2_master._suggested_names(source.columns, chosen.date)
    )) }}
{%- endmacro %}


{#
    The likeliest key: one column that is no date, else a set. A date in it is the effective date of a change log, one that is the same on every row
    that of the snapshot. In an empty table the key is a guess.
#}
{% macro _suggested_key(source, keys) -%}
    {%- set columns = source.columns | selectattr('fits_key') | sort(attribute='rank') -%}
    {%- if source.rows == 0 -%}
        {{ return({'unique_key': columns[:1], 'date': none}) }}
    {%- endif -%}
    {%- set dates = source.columns | selectattr('dates') | list -%}
    {%- for key in keys -%}
        {%- if key | length > 1 or key[0] not in dates -%}
            {{ return(scd2_master._dated_key(source, key, dates | selectattr('dates.usable') | list)) }}
        {%- endif -%}
    {%- endfor -%}
    {#- whatever stands beside a unique date is unique with it -#}
    {%- set others = columns | reject('in', dates) | selectattr('nulls', 'equalto', 0) | list -%}
    {%- if keys and others -%}
        {{ return(scd2_master._dated_key(source, others[:1] + keys[0], dates | selectattr('dates.usable') | list)) }}
    {%- endif -%}
    {{ return({'unique_key': keys | first | default([]), 'date': none}) }}
{%- endmacro %}


{% macro _dated_key(source, key, usable_dates) -%}
    {%- for date in usable_dates if date in key -%}
        {{ return({'unique_key': key | reject('equalto', date) | list, 'date': date, 'input_kind': 'change_log'}) }}
    {%- endfor -%}
    {%- for date in usable_dates if date.distinct == 1 and source.rows > 1 -%}
        {{ return({'unique_key': key, 'date': date}) }}
    {%- endfor -%}
    {{ return({'unique_key': key, 'date': none}) }}
{%- endmacro %}


{# Other names for the output columns whose names the source has taken. #}
{% macro _suggested_names(columns, date) -%}
    {%- set taken = {'taken': columns | map(attribute='name') | list} -%}
    {%- set renamed = {} -%}
    {%- for name in ['valid_from', 'valid_to', 'is_current'] -%}
        {%- if name in taken.taken | map('lower') and name != (date.name | lower if date else none) -%}
            {%- do renamed.update({name: scd2_master._added_name(taken, 'scd2_' ~ name)}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(renamed) }}
{%- endmacro %}


{# The model as text: a config and a SELECT of all columns. #}
{% macro _model_lines(table, options) -%}
    {%- if options.problem -%}
        {{ return([options.problem]) }}
    {%- endif -%}
    {%- set key = options.unique_key | map(attribute='name') | list -%}
    {%- set lines = [
        "    materialized='scd2_master',",
        '    unique_key=' ~ (scd2_master._jinja_text(key[0]) if key | length == 1 else scd2_master._jinja_list(key, 11)) ~ ',',
        '    tracked_columns=' ~ scd2_master._jinja_list(options.tracked | map(attribute='name') | list, 16) ~ ',',
        "    effective_date='{current_date}'," if not options.date
        else '    effective_date_column=' ~ scd2_master._jinja_text(options.date.name) ~ ',',
    ] -%}
    {%- do lines.append("    input_kind='" ~ options.input_kind ~ "',") if options.input_kind -%}
    {%- do lines.append("    validity_type='timestamp',") if options.date and options.date.type | upper != 'DATE' -%}
    {%- for name, other in options.column_names.items() -%}
        {%- do lines.append('    scd2_column_names={') if loop.first -%}
        {%- do lines.append("        '" ~ name ~ "': '" ~ other ~ "',") -%}
        {%- do lines.append('    },') if loop.last -%}
    {%- endfor -%}
    {{ return(['A model to start from:', '', '{{ config('] + lines + [') }}', ''] + scd2_master._select_lines(table)) }}
{%- endmacro %}


{% macro _select_lines(table) -%}
    {%- set words = scd2_master.reserved_words() -%}
    {%- set names = [] -%}
    {%- for column in table.columns -%}
        {%- set is_plain = words is not none and modules.re.fullmatch('[a-z_][a-z0-9_]*', column.name) and column.name not in words -%}
        {%- do names.append('    ' ~ (column.name if is_plain else scd2_master._sql_in_jinja(scd2_master.quote_name(column.name)))) -%}
    {%- endfor -%}
    {%- set node = table.node -%}
    {%- if not node -%}
        {%- set from = scd2_master._sql_in_jinja(table.relation | string) -%}
    {%- elif node.resource_type == 'source' -%}
        {%- set from = '{{ source(' ~ scd2_master._jinja_text(node.source_name) ~ ', ' ~ scd2_master._jinja_text(node.name) ~ ') }}' -%}
    {%- else -%}
        {%- set version = ', v=' ~ scd2_master._shown(node.version) if node.version else '' -%}
        {%- set from = '{{ ref(' ~ scd2_master._jinja_text(node.name) ~ version ~ ') }}' -%}
    {%- endif -%}
    {{ return(['select', names | join(',\n'), 'from ' ~ from]) }}
{%- endmacro %}


{# A text in Jinja. dbt reads plain strings without Jinja and leaves their escapes as they are, so where there are some it must not be plain. #}
{% macro _jinja_text(text) -%}
    {%- set escaped = text | replace('\\', '\\\\') | replace('\n', '\\n') -%}
    {%- if "'" not in text or '"' not in text -%}
        {%- set mark = "'" if "'" not in text else '"' -%}
        {{ return(('' if escaped == text else "'' ~ ") ~ mark ~ escaped ~ mark) }}
    {%- endif -%}
    {{ return("'" ~ escaped | replace("'", "' ~ \"'\" ~ '") ~ "'") }}
{%- endmacro %}


{# SQL for a model's file: what Jinja would take for its own is put into quotes. #}
{% macro _sql_in_jinja(sql) -%}
    {{ return('{{ ' ~ scd2_master._jinja_text(sql) ~ ' }}' if modules.re.search('[{][{%#]', sql) else sql) }}
{%- endmacro %}


{# A list of texts, on one line where it fits behind `used` characters, else in lines of up to 88. #}
{% macro _jinja_list(names, used) -%}
    {%- set texts = [] -%}
    {%- for name in names -%}
        {%- do texts.append(scd2_master._jinja_text(name)) -%}
    {%- endfor -%}
    {%- set one_line = '[' ~ texts | join(', ') ~ ']' -%}
    {%- if one_line | length + used < 84 -%}
        {{ return(one_line) }}
    {%- endif -%}
    {%- set lines = ['        '] -%}
    {%- for text in texts -%}
        {%- if lines[-1] | length + text | length > 86 and lines[-1] | trim -%}
            {%- do lines.append('        ') -%}
        {%- endif -%}
        {%- do lines.append(lines.pop() ~ text ~ ', ') -%}
    {%- endfor -%}
    {{ return('[\n' ~ lines | map('trim') | map('indent', 8, true) | join('\n') ~ '\n    ]') }}
{%- endmacro %}
