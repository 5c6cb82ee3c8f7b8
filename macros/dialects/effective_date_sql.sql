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
