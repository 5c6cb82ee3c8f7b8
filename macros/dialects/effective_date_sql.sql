{#
    How the values of an effective-date column become boundaries: {'value': an expression of validity_type, 'exact': a
    condition that is false where that would lose a part of the value}. None where the column's type cannot hold
    effective dates. A zoned value is read in `timezone`, never in the session's.
#}
{% macro effective_date_sql(expression, type, validity_type, timezone) -%}
    {{ return(adapter.dispatch('effective_date_sql', 'scd2_master')(expression, type, validity_type, timezone)) }}
{%- endmacro %}


{% macro default__effective_date_sql(expression, type, validity_type, timezone) -%}
    {%- set value = 'cast(' ~ expression ~ ' as ' ~ validity_type ~ ')' -%}
    {%- if type | upper in ['DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS'] -%}
        {{ return({'value': value, 'exact': 'cast(' ~ value ~ ' as ' ~ type ~ ') = ' ~ expression}) }}
    {%- endif -%}
    {{ return(none) }}
{%- endmacro %}


{% macro duckdb__effective_date_sql(expression, type, validity_type, timezone) -%}
    {%- if type == 'TIMESTAMP WITH TIME ZONE' and validity_type == 'timestamp' -%}
        {{ return({'value': 'timezone(' ~ dbt.string_literal(timezone) ~ ', ' ~ expression ~ ')', 'exact': 'true'}) }}
    {%- elif type == '"NULL"' -%}
        {{ return({'value': 'cast(' ~ expression ~ ' as ' ~ validity_type ~ ')', 'exact': 'true'}) }}
    {%- endif -%}
    {{ return(scd2_master.default__effective_date_sql(expression, type, validity_type, timezone)) }}
{%- endmacro %}
