{# Makes sure that a transaction is open, where dbt's own auto-begin may be turned off. #}
{% macro begin_transaction() -%}
    {{ return(adapter.dispatch('begin_transaction', 'scd2_master')()) }}
{%- endmacro %}


{% macro default__begin_transaction() -%}
{%- endmacro %}


{# With disable_transactions in the profile each statement would commit by itself, the drop before the rename too. #}
{% macro duckdb__begin_transaction() -%}
    {%- if adapter.disable_transactions() -%}
        {%- do adapter.ensure_transaction() -%}
    {%- endif -%}
{%- endmacro %}
