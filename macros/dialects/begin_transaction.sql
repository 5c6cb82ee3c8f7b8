{# Makes sure that a transaction is open, where dbt's own auto-begin may be turned off. #}
{% macro begin_transaction() -%}
    {{ return(adapter.dispatch('begin_transaction', 'scd2_master')()) }}
{%- endmacro %}


{% macro default__begin_transaction() -%}
{%- endmacro %}


{#
    With disable_transactions in the profile each statement would commit by itself, the drop before the rename too.
    dbt-duckdb before 1.11 cannot open a transaction then.
#}
{% macro duckdb__begin_transaction() -%}
    {%- if adapter.disable_transactions() and adapter.ensure_transaction is not defined -%}
        {%- do scd2_master.raise_findings(model.unique_id, [scd2_master._finding(
            'invalid_option', 'the profile sets disable_transactions, and a history must be replaced in one transaction',
            'Remove it from the profile, or use dbt-duckdb 1.11'
        )]) -%}
    {%- elif adapter.disable_transactions() -%}
        {%- do adapter.ensure_transaction() -%}
    {%- endif -%}
{%- endmacro %}


{# dbt commits before hooks outside the transaction and may take it for open still; a second `begin` is no more than a notice. #}
{% macro postgres__begin_transaction() -%}
    {%- call statement('scd2_begin') -%}
        begin
    {%- endcall -%}
{%- endmacro %}
