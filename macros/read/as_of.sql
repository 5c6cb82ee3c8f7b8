{# A query: the dimension as it was on a date, one row per key that had a version then. Rule: SPEC section 8. #}
{% macro as_of(relation, date, column_names={}) -%}
    {%- if not execute -%}
        {{ return('select * from ' ~ relation) }}
    {%- endif -%}
    {%- set findings = [] -%}
    {%- do scd2_master._check_readable('relation', relation, findings) -%}
    {%- set interval = scd2_master._interval_columns(scd2_master._given_output_names(column_names, findings)) -%}
    {%- set columns = scd2_master._known_columns(relation) -%}
    {%- set real = scd2_master._real_names(relation, columns, interval, findings) -%}
    {%- do scd2_master._check_types_of_dates(scd2_master._typed_dates(relation, columns, real), findings) -%}
    {%- set timezone = scd2_master._timezone(findings) -%}
    {%- set instant = scd2_master._instant_literal('date', date, findings) -%}
    {%- do scd2_master.raise_findings(scd2_master._reader('as_of'), findings) -%}
select *
from {{ scd2_master._from_item(relation) }} as versions
where
    {{ scd2_master._instant('versions', real.valid_from[0], columns, timezone) }} <= {{ instant }}
    and {{ instant }} < {{ scd2_master._instant('versions', real.valid_to[0], columns, timezone) }}
{%- endmacro %}
