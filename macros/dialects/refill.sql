{#
    Writes the rows of a query into an existing table in place of its own, in the open transaction, on engines where replacing the
    table would lose what hangs on it: views, grants, policies. Returns false, and writes nothing, where the table has to be replaced.
#}
{% macro refill(scd2, relation, query) -%}
    {{ return(adapter.dispatch('refill', 'scd2_master')(scd2, relation, query)) }}
{%- endmacro %}


{% macro default__refill(scd2, relation, query) -%}
    {{ return(false) }}
{%- endmacro %}


{# Columns may be added to the table; a change of type replaces it. #}
{% macro postgres__refill(scd2, relation, query) -%}
    {%- if not relation or scd2.full_refresh == 'allowed' -%}
        {{ return(false) }}
    {%- endif -%}
    {%- do scd2_master.raise_findings(scd2.model, scd2_master._postgres_references(relation)) -%}
    {%- set rows = make_temp_relation(relation, '__scd2_rows') -%}
    {%- call statement('scd2_rows') -%}
        {{ scd2_master.create_staging_as(rows, query) }}
    {%- endcall -%}
    {%- set columns = scd2_master.read_columns(rows) -%}
    {%- set stored = scd2_master.read_columns(relation) -%}
    {%- set fits = columns[:stored | length] == stored -%}
    {%- if fits -%}
        {%- call statement('main') -%}
            {{ scd2_master._postgres_refill_sql(scd2, relation, rows, columns, columns[stored | length:]) }}
        {%- endcall -%}
    {%- else -%}
        {%- do scd2_master._postgres_warn_of_views(scd2, relation) -%}
    {%- endif -%}
    {%- do adapter.drop_relation(rows) -%}
    {{ return(fits) }}
{%- endmacro %}


{# invalid_option: a table that foreign keys refer to cannot be truncated. #}
{% macro _postgres_references(relation) -%}
    {%- set query -%}
        select conname || ' of ' || cast(conrelid as regclass) as name
        from pg_constraint
        where contype = 'f' and confrelid = {{ scd2_master._postgres_id(relation) }} and conrelid <> confrelid
        order by 1
    {%- endset -%}
    {%- set references = run_query(query).columns[0].values() | list -%}
    {{ return([scd2_master._finding(
        'invalid_option', 'the run fills the table anew, and foreign keys refer to it: ' ~ references | join(', '),
        "Set scd2_strategy to 'merge' if it is 'rebuild', else drop them"
    )] if references else []) }}
{%- endmacro %}


{% macro _postgres_id(relation) -%}
    {{ return('to_regclass(' ~ dbt.string_literal(dbt.escape_single_quotes(relation.include(database=false))) ~ ')') }}
{%- endmacro %}


{% macro _postgres_refill_sql(scd2, relation, rows, columns, added) -%}
    {%- set names = scd2_master._quoted(columns | map(attribute='name')) | join(', ') -%}
    {%- if scd2.contract.enforced -%}
        {{ get_assert_columns_equivalent('select * from ' ~ rows) }}
    {%- endif -%}
    {%- for column in added -%}
alter table {{ relation }} add column {{ scd2_master.quote_name(column.name) }} {{ column.type }};
    {%- endfor -%}
truncate table {{ relation }};
insert into {{ relation }} ({{ names }})
select {{ names }} from {{ rows }}
{%- endmacro %}


{# Dropping the table drops the views that read it, too. #}
{% macro _postgres_warn_of_views(scd2, relation) -%}
    {%- set query -%}
        select distinct cast(cast(views.oid as regclass) as text) as name
        from pg_depend as dependencies
        inner join pg_rewrite as rules
            on dependencies.objid = rules.oid
        inner join pg_class as views
            on rules.ev_class = views.oid
        where
            dependencies.classid = cast('pg_rewrite' as regclass)
            and dependencies.refobjid = {{ scd2_master._postgres_id(relation) }}
            and views.oid <> dependencies.refobjid
        order by 1
    {%- endset -%}
    {%- set views = run_query(query).columns[0].values() | list -%}
    {%- if views -%}
        {%- do exceptions.warn(
            'scd2_master ' ~ scd2.model ~ ': a type changes, so the table is replaced, and the views that read it are dropped: '
            ~ views | join(', ') ~ '. Build them again.'
        ) -%}
    {%- endif -%}
{%- endmacro %}
