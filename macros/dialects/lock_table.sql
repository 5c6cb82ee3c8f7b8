{# Keeps other runs from writing into the table until the transaction ends, where the engine has such locks. #}
{% macro lock_table(relation) -%}
    {{ return(adapter.dispatch('lock_table', 'scd2_master')(relation)) }}
{%- endmacro %}


{% macro default__lock_table(relation) -%}
{%- endmacro %}


{# The second run waits here, before it reads anything. Readers do not. #}
{% macro postgres__lock_table(relation) -%}
    {%- call statement('scd2_lock') -%}
        lock table {{ relation }} in share row exclusive mode
    {%- endcall -%}
{%- endmacro %}
