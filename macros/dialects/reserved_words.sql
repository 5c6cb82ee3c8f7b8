{# The lower-case words that must be quoted as column names; none where the engine does not say. #}
{% macro reserved_words() -%}
    {{ return(adapter.dispatch('reserved_words', 'scd2_master')()) }}
{%- endmacro %}


{% macro default__reserved_words() -%}
    {{ return(none) }}
{%- endmacro %}


{% macro duckdb__reserved_words() -%}
    {%- set words = run_query("select keyword_name from duckdb_keywords() where keyword_category <> 'unreserved'") -%}
    {{ return(words.columns[0].values() | list) }}
{%- endmacro %}


{% macro postgres__reserved_words() -%}
    {{ return(run_query("select word from pg_get_keywords() where catcode in ('R', 'T')").columns[0].values() | list) }}
{%- endmacro %}
