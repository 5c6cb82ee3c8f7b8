{# The statement that creates the run log's table; nothing happens where it exists. #}
{% macro create_run_log_sql(relation) -%}
    {%- set columns = [] -%}
    {%- for name, type in scd2_master.run_log_columns().items() -%}
        {%- do columns.append(name ~ ' ' ~ type) -%}
    {%- endfor -%}
create table if not exists {{ relation }} (
    {{ columns | join(',\n    ') }}
)
{%- endmacro %}
