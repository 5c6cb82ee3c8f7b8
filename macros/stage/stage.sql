{#
    Evaluates the model's SQL once and stores it: what is validated is what is written. With --empty or --sample the
    staging relation stays empty. Begins the transaction.
#}
{% macro stage(scd2, target_relation, sql) -%}
    {%- set staging = make_temp_relation(target_relation, '__scd2_source') -%}
    {%- set query = scd2_master._without_terminator(sql) -%}
    {%- if scd2.dry_flag -%}
        {%- set query = 'select * from (\n' ~ query ~ '\n) as snapshot where false' -%}
    {%- endif -%}
    {%- call statement('scd2_stage') -%}
        {{ scd2_master.create_staging_as(staging, query, scd2.sql_header) }}
    {%- endcall -%}
    {{ return(staging) }}
{%- endmacro %}


{#
    The query up to its last word: without the semicolon and the comments that may follow it. Texts, quoted names and
    comments are skipped as a whole, so what looks like a semicolon or a comment inside them is left alone.
#}
{% macro _without_terminator(sql) -%}
    {%- set query = namespace(end=0) -%}
    {%- for token in scd2_master._tokens(sql) -%}
        {%- if not modules.re.fullmatch('[\\s;]+|--.*|/[*].*', token.group(0), modules.re.DOTALL) -%}
            {%- set query.end = token.end() -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(sql[:query.end]) }}
{%- endmacro %}


{# The parts of a SQL text as matches: texts, quoted names and comments as a whole, words, spaces, and single characters. #}
{% macro _tokens(sql) -%}
    {%- set comment = '--[^\\n]*|/[*].*?[*]/' -%}
    {%- set text = "[eE]'(?:[^'\\\\]|\\\\.|'')*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|([$][a-zA-Z_0-9]*[$]).*?\\1" -%}
    {{ return(modules.re.finditer(text ~ '|' ~ comment ~ "|\\s+|[a-zA-Z0-9_]+|.", sql, modules.re.DOTALL) | list) }}
{%- endmacro %}
