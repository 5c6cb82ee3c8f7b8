{#
    A value as the text that goes into a hash: the same on every engine for the same value, whatever the session's
    settings are. The README lists the forms; types that it does not name come as the engine casts them.
#}
{% macro hash_text(expression, type) -%}
    {{ return(adapter.dispatch('hash_text', 'scd2_master')(expression, type)) }}
{%- endmacro %}


{% macro default__hash_text(expression, type) -%}
    {{ return(scd2_master.as_text(expression)) }}
{%- endmacro %}


{# A decimal that has digits after the point alone is written without the zero before it. #}
{% macro duckdb__hash_text(expression, type) -%}
    {%- set seconds = "'%Y-%m-%d %H:%M:%S.%f'" -%}
    {%- set text = scd2_master.default__hash_text(expression, type) -%}
    {%- if type in ['TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS'] -%}
        {{ return('strftime(' ~ expression ~ ', ' ~ seconds ~ ')') }}
    {%- elif type == 'TIMESTAMP_NS' -%}
        {{ return('strftime(' ~ expression ~ ", '%Y-%m-%d %H:%M:%S.%n')") }}
    {%- elif type == 'TIMESTAMP WITH TIME ZONE' -%}
        {{ return("(strftime(timezone('UTC', " ~ expression ~ '), ' ~ seconds ~ ") || 'Z')") }}
    {%- elif modules.re.fullmatch('DECIMAL[(][0-9]+,[1-9][0-9]*[)]', type) -%}
        {{ return('rtrim(rtrim(regexp_replace(' ~ text ~ ", '^(-?)[.]', '\\10.'), '0'), '.')") }}
    {%- elif type == 'BLOB' -%}
        {{ return('lower(hex(' ~ expression ~ '))') }}
    {%- endif -%}
    {{ return(text) }}
{%- endmacro %}


{# to_char() has no text for an infinite timestamp. #}
{% macro postgres__hash_text(expression, type) -%}
    {%- set text = scd2_master.default__hash_text(expression, type) -%}
    {%- set seconds = ", 'YYYY-MM-DD HH24:MI:SS.US')" -%}
    {%- if modules.re.fullmatch('timestamp([(][0-9][)])? without time zone', type) -%}
        {{ return('case when isfinite(' ~ expression ~ ') then to_char(' ~ expression ~ seconds ~ ' else ' ~ text ~ ' end') }}
    {%- elif modules.re.fullmatch('timestamp([(][0-9][)])? with time zone', type) -%}
        {%- set plain = "timezone('UTC', " ~ expression ~ ')' -%}
        {{ return("(" ~ scd2_master.postgres__hash_text(plain, 'timestamp without time zone') ~ " || 'Z')") }}
    {%- elif type.startswith('numeric') -%}
        {{ return(scd2_master.default__hash_text('trim_scale(' ~ expression ~ ')', type)) }}
    {%- elif type == 'bytea' -%}
        {{ return('encode(' ~ expression ~ ", 'hex')") }}
    {%- endif -%}
    {{ return(text) }}
{%- endmacro %}
