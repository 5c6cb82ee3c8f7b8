{#
    Prints what a table or view holds and how a history of it could be configured: columns, types, counts of nulls and distinct values, which
    columns could be the business key or an effective date, and a model to paste. Reads the relation in at most three queries.
#}
{% macro inspect_source(relation) -%}
    {%- if execute -%}
        {%- set findings = [] -%}
        {%- set table = scd2_master._find_table(relation, findings) -%}
        {%- do scd2_master.raise_findings('inspect_source', findings) -%}
        {%- set source = scd2_master._count_values(table) -%}
        {%- set search = scd2_master._search_keys(table.relation, source) -%}
        {%- set lines = scd2_master._column_lines(relation, source)
            + scd2_master._key_lines(source, search)
            + scd2_master._date_lines(source)
            + scd2_master._model_lines(table, scd2_master._suggest_options(source, search['keys'])) -%}
        {%- do print(lines | join('\n')) -%}
    {%- endif -%}
{%- endmacro %}
