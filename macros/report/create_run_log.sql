{#
    Creates the table of the run log where it is missing, before the run's own transaction. Models start at once, and an engine
    stops all but one of several transactions that create the same table: so one model does it, and the others wait for it.
#}
{% macro create_run_log(relation, model_id) -%}
    {%- if relation and not load_cached_relation(relation) -%}
        {%- set creator = graph.setdefault('scd2_run_log_creator', model_id) -%}
        {%- if creator == model_id or not scd2_master._table_appears(relation) -%}
            {%- do adapter.create_schema(relation) -%}
            {%- call statement('scd2_create_run_log', auto_begin=false) -%}
                {{ scd2_master.create_run_log_sql(relation) }}
            {%- endcall -%}
            {%- do scd2_master.commit_run_log() -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}


{# Whether a table that another connection creates can be seen within some seconds. No transaction: it would see one state only. #}
{% macro _table_appears(relation) -%}
    {%- set wait = namespace(over=false) -%}
    {%- set start = modules.datetime.datetime.now() -%}
    {%- for attempt in range(5000) if not wait.over -%}
        {%- call statement('scd2_run_log_tables', fetch_result=true, auto_begin=false) -%}
            select count(*) as tables
            from information_schema.tables
            where
                lower(table_schema) = {{ string_literal(escape_single_quotes(relation.schema | lower)) }}
                and lower(table_name) = {{ string_literal(escape_single_quotes(relation.identifier | lower)) }}
        {%- endcall -%}
        {%- if load_result('scd2_run_log_tables').table.rows[0][0] -%}
            {{ return(true) }}
        {%- endif -%}
        {%- set wait.over = (modules.datetime.datetime.now() - start).total_seconds() > 5 -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
