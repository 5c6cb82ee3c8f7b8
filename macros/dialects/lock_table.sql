{# Keeps other runs from writing the model's own table until the transaction ends, where the engine has such locks. #}
{% macro lock_table(target_relation, existing_relation) -%}
    {{ return(adapter.dispatch('lock_table', 'scd2_master')(target_relation, existing_relation)) }}
{%- endmacro %}


{% macro default__lock_table(target_relation, existing_relation) -%}
{%- endmacro %}


{#
    The second run waits here, before it reads anything. Readers do not. Before there is a table its name is locked; a run that
    waited for the first one then finds a table that it had not reckoned with.
#}
{% macro postgres__lock_table(target_relation, existing_relation) -%}
    {%- if existing_relation -%}
        {%- call statement('scd2_lock') -%}
            lock table {{ existing_relation }} in share row exclusive mode
        {%- endcall -%}
    {%- else -%}
        {%- set name = dbt.string_literal(dbt.escape_single_quotes(target_relation.include(database=false))) -%}
        {%- call statement('scd2_lock') -%}
            select pg_advisory_xact_lock(hashtextextended({{ name }}, 0))
        {%- endcall -%}
        {%- if run_query('select to_regclass(' ~ name ~ ') is not null').rows[0][0] -%}
            {%- do exceptions.raise_compiler_error(
                'scd2_master ' ~ model.unique_id ~ ': another run has just made ' ~ target_relation ~ '. Run the model again'
            ) -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
