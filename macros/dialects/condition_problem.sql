{#
    What is wrong with a SQL condition on a row of the source, as the end of a sentence; none where nothing is found. An
    engine's own error cannot be caught, so an engine that can look at a text without running it does so here.
#}
{% macro condition_problem(condition, columns) -%}
    {{ return(adapter.dispatch('condition_problem', 'scd2_master')(condition, columns)) }}
{%- endmacro %}


{% macro default__condition_problem(condition, columns) -%}
    {{ return(none) }}
{%- endmacro %}


{% macro duckdb__condition_problem(condition, columns) -%}
    {%- if not execute -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set text = dbt.string_literal(dbt.escape_single_quotes('select ' ~ scd2_master._holds(condition))) -%}
    {%- set parsed = fromjson(run_query('select json_serialize_sql(' ~ text ~ ')').rows[0][0]) -%}
    {%- if parsed.error -%}
        {{ return('which is not a SQL condition: ' ~ parsed.error_message) }}
    {%- elif not scd2_master._duckdb_is_one_case(parsed.statements) -%}
        {{ return('which is not one SQL condition') }}
    {%- endif -%}
    {%- set found = {'classes': [], 'paths': [], 'functions': []} -%}
    {%- do scd2_master._duckdb_collect(parsed.statements[0].node.select_list[0].left.case_checks[0].when_expr, found) -%}
    {%- if found.classes | select('in', ['PARAMETER', 'STAR', 'WINDOW']) | list -%}
        {{ return('which is not a condition on one row') }}
    {%- endif -%}
    {#- names in a subquery may be of other relations -#}
    {%- set problem = scd2_master._duckdb_unknown_name(found, columns) if 'SUBQUERY' not in found.classes -%}
    {%- set type = scd2_master._duckdb_condition_type(condition, columns) if not problem else 'BOOLEAN' -%}
    {{ return(problem or (
        none if type in ['BOOLEAN', '"NULL"'] else 'which is of type ' ~ type ~ ', and a condition is true or false'
    )) }}
{%- endmacro %}


{#
    A cursor for the query is opened, which plans it and runs nothing, and refuses several statements; a block catches the error. The
    query goes there as a setting of the transaction, so that no text can end the block.
#}
{% macro postgres__condition_problem(condition, columns) -%}
    {%- if not execute -%}
        {{ return(none) }}
    {%- elif not scd2_master._is_closed(condition) -%}
        {{ return('which is not one SQL condition') }}
    {%- endif -%}
    {%- set query = 'select 1 from (' ~ scd2_master._empty_row(columns) ~ ') as src where (\n' ~ condition ~ '\n)' -%}
    {%- do run_query(
        "select set_config('scd2_master.query', " ~ dbt.string_literal(dbt.escape_single_quotes(query)) ~ ", true), "
        "set_config('scd2_master.problem', '', true)"
    ) -%}
    {%- call statement('scd2_condition') -%}
do $$
declare
    checked refcursor;
begin
    open checked for execute current_setting('scd2_master.query');
    close checked;
exception when others then
    perform set_config('scd2_master.problem', sqlerrm, true);
end
$$
    {%- endcall -%}
    {%- set problem = run_query("select current_setting('scd2_master.problem')").rows[0][0] -%}
    {{ return('which is not a SQL condition: ' ~ problem if problem else none) }}
{%- endmacro %}


{# Whether each bracket is closed inside the text and no statement ends there. #}
{% macro _is_closed(condition) -%}
    {%- set brackets = namespace(open=0, closed=true) -%}
    {%- for token in scd2_master._tokens(condition) -%}
        {%- set brackets.open = brackets.open + {'(': 1, ')': -1}.get(token.group(0), 0) -%}
        {%- set brackets.closed = brackets.closed and brackets.open >= 0 and token.group(0) != ';' -%}
    {%- endfor -%}
    {{ return(brackets.closed and brackets.open == 0) }}
{%- endmacro %}


{# Whether the text around the condition still is what it was: one query of one `case` with one branch. #}
{% macro _duckdb_is_one_case(statements) -%}
    {%- set node = statements[0].node -%}
    {{ return(
        statements | length == 1 and node.type == 'SELECT_NODE' and node.from_table.type == 'EMPTY'
        and node.select_list | length == 1 and node.select_list[0].type == 'COMPARE_EQUAL'
        and node.select_list[0].left.case_checks | default([]) | length == 1
    ) }}
{%- endmacro %}


{# The classes of all expressions in a parse tree, the columns and the functions that it names. #}
{% macro _duckdb_collect(node, found) -%}
    {%- if node is mapping -%}
        {%- do found.classes.append(node['class']) if node['class'] -%}
        {%- do found.paths.append(node.column_names) if node['class'] == 'COLUMN_REF' -%}
        {%- do found.functions.append(node.function_name) if node['class'] == 'FUNCTION' -%}
    {%- endif -%}
    {%- for child in (node.values() if node is mapping else node) if child is mapping or scd2_master._is_list(child) -%}
        {%- do scd2_master._duckdb_collect(child, found) -%}
    {%- endfor -%}
{%- endmacro %}


{% macro _duckdb_unknown_name(found, columns) -%}
    {%- set names = columns | map(attribute='name') | map('lower') | list
        + ['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp'] -%}
    {%- for path in found.paths if 'LAMBDA' not in found.classes -%}
        {%- set of_source = path | length > 1 and path[0] | lower == 'src' and path[1] | lower in names -%}
        {%- if not of_source and path[0] | lower not in names -%}
            {{ return('which uses ' ~ path | join('.') ~ ", and the model's SELECT has no such column") }}
        {%- endif -%}
    {%- endfor -%}
    {%- for function in found.functions | unique -%}
        {%- set of_one_row -%}
            select bool_and(function_type in ('scalar', 'macro') and coalesce(macro_definition not ilike '%unnest%', true))
            from duckdb_functions()
            where function_name = {{ dbt.string_literal(dbt.escape_single_quotes(function | lower)) }}
        {%- endset -%}
        {%- if not run_query(of_one_row).rows[0][0] -%}
            {{ return('which uses ' ~ function ~ '(), and there is no such function of one row') }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{%- endmacro %}


{% macro _duckdb_condition_type(condition, columns) -%}
    {{ return(run_query(
        'describe select (\n' ~ condition ~ '\n) as holds from (' ~ scd2_master._empty_row(columns) ~ ') as src'
    ).rows[0]['column_type']) }}
{%- endmacro %}


{# A row of nulls that has these columns, as a query. #}
{% macro _empty_row(columns) -%}
    {%- set empty = [] -%}
    {%- for column in columns -%}
        {%- do empty.append('cast(null as ' ~ column.type ~ ') as ' ~ scd2_master.quote_name(column.name)) -%}
    {%- endfor -%}
    {{ return('select ' ~ empty | join(', ')) }}
{%- endmacro %}
