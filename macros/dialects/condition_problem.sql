{#
    What is wrong with a SQL condition over a relation, as the end of a sentence; none where nothing is found. An engine's
    own error cannot be caught, so an engine that can look at a text without running it does so here.
#}
{% macro condition_problem(condition, columns) -%}
    {{ return(adapter.dispatch('condition_problem', 'scd2_master')(condition, columns)) }}
{%- endmacro %}


{% macro default__condition_problem(condition, columns) -%}
    {{ return(none) }}
{%- endmacro %}


{# The parse tree names the columns and functions; columns in a subquery may be of other relations. #}
{% macro duckdb__condition_problem(condition, columns) -%}
    {%- if not execute -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set parsed = fromjson(run_query(
        'select json_serialize_sql(' ~ dbt.string_literal(dbt.escape_single_quotes('select (\n' ~ condition ~ '\n)')) ~ ')'
    ).rows[0][0]) -%}
    {%- if parsed.error -%}
        {{ return('which is not a SQL condition: ' ~ parsed.error_message) }}
    {%- endif -%}
    {%- set tree = tojson(parsed) -%}
    {%- if parsed.statements | length != 1 or parsed.statements[0].node.type != 'SELECT_NODE'
            or modules.re.search('"class": "(PARAMETER|STAR)"', tree) -%}
        {{ return('which is not one SQL condition') }}
    {%- endif -%}
    {%- set names = columns | map(attribute='name') | map('lower') | list -%}
    {%- set constants = ['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp'] -%}
    {%- for path in modules.re.findall('"column_names": \\[([^\\]]*)', tree)
            if not modules.re.search('"class": "(SUBQUERY|LAMBDA)"', tree) -%}
        {%- set parts = fromjson('[' ~ path ~ ']') -%}
        {%- if not parts | map('lower') | select('in', names + constants) | list -%}
            {{ return('which uses ' ~ parts | join('.') ~ ", and the model's SELECT has no such column") }}
        {%- endif -%}
    {%- endfor -%}
    {%- for function in modules.re.findall('"function_name": "([^"]*)"', tree) | unique -%}
        {%- set kind = run_query('select max(function_type) from duckdb_functions() where function_name = '
            ~ dbt.string_literal(dbt.escape_single_quotes(function | lower))).rows[0][0] -%}
        {%- if kind in [none, 'aggregate'] -%}
            {{ return('which uses ' ~ function ~ '(), and there is no such function' ~ (' of one row' if kind else '')) }}
        {%- endif -%}
    {%- endfor -%}
    {%- set type = scd2_master._duckdb_condition_type(condition, columns) -%}
    {{ return(none if type in ['BOOLEAN', '"NULL"'] else 'which is of type ' ~ type ~ ', and a condition is true or false') }}
{%- endmacro %}


{% macro _duckdb_condition_type(condition, columns) -%}
    {%- set empty = [] -%}
    {%- for column in columns -%}
        {%- do empty.append('cast(null as ' ~ column.type ~ ') as ' ~ scd2_master.quote_name(column.name)) -%}
    {%- endfor -%}
    {{ return(run_query(
        'describe select (\n' ~ condition ~ '\n) as holds from (select ' ~ empty | join(', ') ~ ') as src'
    ).rows[0]['column_type']) }}
{%- endmacro %}
