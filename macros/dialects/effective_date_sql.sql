{#
    How the values of an effective-date column become boundaries: {'value': an expression of validity_type, 'exact': a
    condition that is not true where that would lose a part of the value}. None where the column's type cannot hold
    effective dates. A zoned value is read in `timezone`, never in the session's.
#}
{% macro effective_date_sql(expression, type, validity_type, timezone) -%}
    {{ return(adapter.dispatch('effective_date_sql', 'scd2_master')(expression, type, validity_type, timezone)) }}
{%- endmacro %}


{% macro default__effective_date_sql(expression, type, validity_type, timezone) -%}
    {%- if type | upper not in ['DATE', 'TIMESTAMP'] -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set value = 'cast(' ~ expression ~ ' as ' ~ validity_type ~ ')' -%}
    {{ return({'value': value, 'exact': 'cast(' ~ value ~ ' as ' ~ type ~ ') = ' ~ expression}) }}
{%- endmacro %}


{# try_cast, because the range of DATE is wider than that of TIMESTAMP #}
{% macro duckdb__effective_date_sql(expression, type, validity_type, timezone) -%}
    {%- set value = 'try_cast(' ~ expression ~ ' as ' ~ validity_type ~ ')' -%}
    {%- if type == 'TIMESTAMP WITH TIME ZONE' and validity_type == 'timestamp' -%}
        {{ return({'value': 'timezone(' ~ dbt.string_literal(timezone) ~ ', ' ~ expression ~ ')', 'exact': 'true'}) }}
    {%- elif type in ['"NULL"', 'DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS'] -%}
        {{ return({'value': value, 'exact': 'try_cast(' ~ value ~ ' as ' ~ type ~ ') = ' ~ expression}) }}
    {%- endif -%}
    {{ return(none) }}
{%- endmacro %}


{# the range of date is wider than that of timestamp, and a cast beyond it is an error #}
{% macro postgres__effective_date_sql(expression, type, validity_type, timezone) -%}
    {%- set is_zoned = modules.re.fullmatch('timestamp([(][0-9][)])? with time zone', type) is not none -%}
    {%- if is_zoned and validity_type == 'timestamp' -%}
        {{ return({'value': 'timezone(' ~ dbt.string_literal(timezone) ~ ', ' ~ expression ~ ')', 'exact': 'true'}) }}
    {%- elif type == 'date' and validity_type == 'timestamp' -%}
        {%- set value = 'case when ' ~ expression ~ " <= date '294276-12-31' then cast(" ~ expression ~ ' as timestamp) end' -%}
        {{ return({'value': value, 'exact': '(' ~ value ~ ') is not null'}) }}
    {%- elif type == 'date' or (type.startswith('timestamp') and not is_zoned) -%}
        {%- set value = 'cast(' ~ expression ~ ' as ' ~ validity_type ~ ')' -%}
        {{ return({'value': value, 'exact': value ~ ' = ' ~ expression}) }}
    {%- endif -%}
    {{ return(none) }}
{%- endmacro %}
