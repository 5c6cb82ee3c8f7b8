{# A query: the dimension as it was on a date, one row per key that had a version then. Rule: SPEC section 8. #}
{% macro as_of(relation, date, column_names={}) -%}
    {%- if not execute -%}
        {{ return('select * from ' ~ relation) }}
    {%- endif -%}
    {%- set findings = [] -%}
    {%- do scd2_master._check_readable('relation', relation, findings) -%}
    {%- set interval = scd2_master._interval_columns(scd2_master._given_output_names(column_names, findings)) -%}
    {%- set real = scd2_master._real_names(relation, scd2_master._known_columns(relation), interval, findings) -%}
    {%- set instant = scd2_master._instant_literal('date', date, findings) -%}
    {%- do scd2_master.raise_findings(scd2_master._reader('as_of'), findings) -%}
select *
from {{ scd2_master._from_item(relation) }} as versions
where
    versions.{{ scd2_master.quote_name(real.valid_from[0]) }} <= {{ instant }}
    and {{ instant }} < versions.{{ scd2_master.quote_name(real.valid_to[0]) }}
{%- endmacro %}
