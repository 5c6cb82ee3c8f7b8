{#
    A date or timestamp as it can be compared with another: with time zone, it is the plain timestamp that it is in `timezone`, never in the
    session's. `type` is none where it is not known, as in a CTE; then the SQL finds out by itself.
#}
{% macro instant_sql(expression, type, timezone) -%}
    {{ return(adapter.dispatch('instant_sql', 'scd2_master')(expression, type, timezone)) }}
{%- endmacro %}


{% macro default__instant_sql(expression, type, timezone) -%}
    {{ return(expression) }}
{%- endmacro %}


{#
    The case is decided when the query is planned. A TIMESTAMP_NS is cut to microseconds, as it cannot be compared with the max date; a cast
    would round it into the next version.
#}
{% macro duckdb__instant_sql(expression, type, timezone) -%}
    {%- set zoned = 'timezone(' ~ dbt.string_literal(timezone) ~ ', cast(' ~ expression ~ ' as timestamptz))' -%}
    {%- set finest = 'cast(' ~ expression ~ ' as timestamp_ns)' -%}
    {%- set finer = 'case when isfinite(' ~ finest ~ ') then make_timestamp(epoch_us(' ~ finest ~ '))'
        ~ ' else cast(' ~ expression ~ ' as timestamp) end' -%}
    {%- if type is none -%}
        {{ return(
            "case typeof(" ~ expression ~ ") when 'TIMESTAMP WITH TIME ZONE' then " ~ zoned
            ~ " when 'TIMESTAMP_NS' then " ~ finer ~ ' else cast(' ~ expression ~ ' as timestamp) end'
        ) }}
    {%- endif -%}
    {{ return({'TIMESTAMP WITH TIME ZONE': zoned, 'TIMESTAMP_NS': finer}.get(type, expression)) }}
{%- endmacro %}


{% macro postgres__instant_sql(expression, type, timezone) -%}
    {%- set zoned = 'timezone(' ~ dbt.string_literal(timezone) ~ ', cast(' ~ expression ~ ' as timestamptz))' -%}
    {%- if type is none -%}
        {{ return(
            "case cast(pg_typeof(" ~ expression ~ ") as text) when 'timestamp with time zone' then " ~ zoned
            ~ ' else cast(' ~ expression ~ ' as timestamp) end'
        ) }}
    {%- endif -%}
    {{ return(zoned if type.endswith(' with time zone') else expression) }}
{%- endmacro %}
