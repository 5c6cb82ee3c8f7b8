{# prior_would_discard: the model has a history of its own, which nothing may overwrite. #}
{% macro _history_in_the_way(existing_relation) -%}
    {%- set versions = scd2_master._count_in_transaction(existing_relation) if existing_relation else 0 -%}
    {{ return([] if not versions else [scd2_master._finding(
        'prior_would_discard', existing_relation ~ ' has ' ~ scd2_master._counted(versions, 'version')
        ~ ', and adopting a snapshot would overwrite them',
        'Rename that table, or give the model another alias'
    )]) }}
{%- endmacro %}


{# How many staged rows there are and, of those that are no versions, how many and which keys they are of. #}
{% macro _snapshot_facts(adoption, staging) -%}
    {%- set facts = scd2_master._first_row(scd2_master._snapshot_facts_sql(staging)) -%}
    {%- for fact, fate in {'deleted': 'deleted', 'empty': 'empty', 'within_a_day': 'within a day'}.items() if facts[fact] -%}
        {%- do facts.update({
            fact ~ '_keys': scd2_master._staged_offenders(adoption, staging, "scd2_fate = '" ~ fate ~ "'")
        }) -%}
    {%- endfor -%}
    {{ return(facts) }}
{%- endmacro %}


{% macro _snapshot_facts_sql(staging) -%}
select
    count(*) as snapshot_rows,
    count(case when scd2_fate = 'deleted' then 1 end) as deleted,
    count(case when scd2_fate = 'empty' then 1 end) as empty,
    count(case when scd2_fate = 'within a day' then 1 end) as within_a_day,
    count(case when scd2_fate = 'version' and scd2_is_cut then 1 end) as cut
from {{ staging }}
{%- endmacro %}


{% macro _adopted_facts_sql(layout, relation) -%}
with keys as (
    select
        count(*) as versions,
        count(case when {{ layout.is_current.recorded_sql }} then 1 end) as open_versions
    from {{ relation }} as hist
    group by {{ layout.key | map(attribute='recorded_sql') | join(', ') }}
)

select
    count(*) as business_keys,
    coalesce(sum(versions), 0) as versions,
    coalesce(sum(open_versions), 0) as open_versions
from keys
{%- endmacro %}


{# What no history can be made of, as the model is configured. #}
{% macro _staged_findings(adoption, facts, staging) -%}
    {%- set findings = [] -%}
    {%- if adoption.scd2.validity_type == 'timestamp' and facts.cut -%}
        {%- do findings.append(scd2_master._finding(
            'effective_date_type', adoption.snapshot ~ ' has boundaries that are not a timestamp of microseconds: '
            ~ scd2_master._staged_offenders(adoption, staging, "scd2_fate = 'version' and scd2_is_cut"),
            'Cast them in a view over the snapshot, and adopt the view'
        )) -%}
    {%- endif -%}
    {%- if facts.within_a_day and adoption.same_day == 'error' -%}
        {%- do findings.append(scd2_master._finding(
            'effective_date_type', 'validity_type is date, and ' ~ adoption.snapshot
            ~ ' has versions that begin and end on one day: ' ~ facts.within_a_day_keys,
            "Set the model's validity_type to timestamp to keep them, or pass same_day: last to leave them out"
        )) -%}
    {%- endif -%}
    {%- set endless = scd2_master._endless(adoption.scd2, staging) -%}
    {%- set ends = scd2_master._staged_offenders(adoption, staging, endless, scd2_master.as_text('scd2_to')) -%}
    {%- if ends -%}
        {%- do findings.append(scd2_master._finding(
            'prior_max_date_mismatch', 'versions of ' ~ adoption.snapshot ~ ' end in a future that nothing else reaches, and not at '
            ~ 'max date: ' ~ ends,
            'If they are open, say so with dbt_valid_to_current'
        )) -%}
    {%- endif -%}
    {{ return(findings) }}
{%- endmacro %}


{# An end after tomorrow and after every start can only be a max date that was not named. The day is for time zones. #}
{% macro _endless(scd2, staging) -%}
    {%- set tomorrow = (run_started_at + modules.datetime.timedelta(days=1)).strftime('%Y-%m-%d') -%}
    {{ return(
        "scd2_fate = 'version' and scd2_to > " ~ scd2_master.boundary_literal(tomorrow, scd2.validity_type)
        ~ ' and scd2_to > (select max(scd2_from) from ' ~ staging ~ ') and scd2_to < '
        ~ scd2_master.boundary_literal(scd2.max_date, scd2.validity_type)
    ) }}
{%- endmacro %}


{# The business keys of staged rows, or what else is asked for, as text. #}
{% macro _staged_offenders(adoption, staging, condition, offender=none) -%}
    {%- set query -%}
        select
            {{ offender or scd2_master._key_text(adoption.layout.key | map(attribute='alias') | list) }} as offender,
            count(*) as n,
            count(*) over () as total
        from {{ staging }}
        where {{ condition }}
        group by 1
        order by 2 desc, 1
        limit 5
    {%- endset -%}
    {{ return(scd2_master._listed(run_query(query))) }}
{%- endmacro %}


{# For each type 0 and type 1 column: of how many keys it loses values, because all their versions get one. #}
{% macro _overwritten_values(layout, staging) -%}
    {%- set overwritten = {} -%}
    {%- for column in layout.type0 + layout.type1 -%}
        {%- set query -%}
            select count(*) as business_keys
            from (
                select 1 as one
                from {{ staging }}
                where scd2_fate = 'version'
                group by {{ layout.key | map(attribute='alias') | join(', ') }}
                having
                    count(distinct {{ scd2_master.comparable(column.alias, column.type) }}) > 1
                    or count({{ column.alias }}) not in (0, count(*))
            ) as differing
        {%- endset -%}
        {%- do overwritten.update({column.name: run_query(query).rows[0][0] | int}) -%}
    {%- endfor -%}
    {{ return(overwritten) }}
{%- endmacro %}


{# What was done, and everything of the snapshot that the history does not have. #}
{% macro _print_adopted(adoption, facts) -%}
    {%- do print(
        'scd2_master adopt_snapshot: ' ~ adoption.target ~ ' has ' ~ scd2_master._counted(facts.versions, 'version') ~ ' of '
        ~ scd2_master._counted(facts.business_keys, 'key') ~ ', ' ~ facts.open_versions | int ~ ' open, from '
        ~ scd2_master._counted(facts.snapshot_rows, 'row') ~ ' of ' ~ adoption.snapshot
    ) -%}
    {%- for loss in scd2_master._losses(adoption, facts) -%}
        {%- do print('  not carried over: ' ~ loss) -%}
    {%- endfor -%}
{%- endmacro %}


{% macro _losses(adoption, facts) -%}
    {%- set layout = adoption.layout -%}
    {%- set kept = layout.data | map(attribute='name') | list -%}
    {%- set repeated = facts.snapshot_rows - facts.deleted - facts.empty - facts.within_a_day - facts.versions -%}
    {%- set losses = ['columns: ' ~ (
        adoption.meta.values() | map(attribute='name') | list
        + adoption.data | map(attribute='name') | reject('in', kept) | list
    ) | join(', ')] -%}
    {%- for number, what in [
        (facts.deleted, 'records of a deletion, which are gaps now: ' ~ facts.deleted_keys),
        (facts.empty, 'rows that end where they begin, so that they held at no time: ' ~ facts.empty_keys),
        (facts.within_a_day, 'versions that begin and end on one day: ' ~ facts.within_a_day_keys),
        (repeated, 'rows that are the same as another: ' ~ repeated | int),
        (facts.cut and adoption.scd2.validity_type == 'date', 'times of day in boundaries: those of '
            ~ scd2_master._counted(facts.cut, 'version')),
    ] if number -%}
        {%- do losses.append(what) -%}
    {%- endfor -%}
    {%- for column in layout.type0 + layout.type1 if facts.overwritten[column.name] -%}
        {%- do losses.append(
            ('later' if column.role == 'type0' else 'earlier') ~ ' values of ' ~ column.name ~ ', which is in ' ~ column.role
            ~ '_columns: those of ' ~ scd2_master._counted(facts.overwritten[column.name], 'key')
        ) -%}
    {%- endfor -%}
    {{ return(losses) }}
{%- endmacro %}
