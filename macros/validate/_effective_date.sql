{# effective_date_sql of the effective-date column, plus `column`; none where the date is configured or of no use. #}
{% macro _date_sql(scd2, layout, findings) -%}
    {%- if not layout.date_column -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set column = 'src.' ~ scd2_master.quote_name(layout.date_column.name) -%}
    {%- set date_sql = scd2_master.effective_date_sql(column, layout.date_column.type, scd2.validity_type, scd2.timezone) -%}
    {%- if date_sql is none -%}
        {%- do findings.append(scd2_master._date_type(
            scd2, 'is of type ' ~ layout.date_column.type ~ ', which is not usable with validity_type ' ~ scd2.validity_type
        )) -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return(dict(date_sql, column=column)) }}
{%- endmacro %}


{# Sets the dates that the source rows carry: effective_date of a snapshot, else first_date, last_date and skipped. #}
{% macro _source_dates(scd2, layout, facts, staging, findings) -%}
    {%- set date_sql = facts.date_sql -%}
    {%- if facts.undated -%}
        {%- do findings.append(scd2_master._finding(
            'effective_date_null', 'effective_date_column ' ~ scd2.effective_date_column ~ ' is null on ' ~ facts.undated
            ~ (' row: ' if facts.undated == 1 else ' rows: ')
            ~ scd2_master._listed(run_query(scd2_master._undated_keys(layout, date_sql, staging))),
            'Give every row its effective date'
        )) -%}
    {%- endif -%}
    {%- if facts.first_date != facts.last_date and scd2.input_kind == 'snapshot' -%}
        {%- do findings.append(scd2_master._finding(
            'effective_date_not_uniform', 'effective_date_column ' ~ scd2.effective_date_column ~ ' differs between rows: '
            ~ scd2_master._listed(run_query(scd2_master._date_values(date_sql, staging))),
            "Select the rows of one date; for several, see input_kind 'snapshot_series' and 'change_log'"
        )) -%}
    {%- endif -%}
    {%- set first_date = scd2_master._parse_boundary(facts.first_date, scd2.validity_type) -%}
    {%- set last_date = scd2_master._parse_boundary(facts.last_date, scd2.validity_type) -%}
    {%- if facts.inexact or (facts.first_date and not (first_date and last_date)) -%}
        {#- what is exact and still no date is infinite, so it is the first or the last -#}
        {%- set infinite = ([] if first_date else [facts.first_date]) + ([] if last_date else [facts.last_date]) -%}
        {%- do findings.append(scd2_master._date_type(
            scd2, 'has values that are not a ' ~ scd2.validity_type ~ ': ' ~ (infinite | unique | join(', ') if not facts.inexact
            else scd2_master._listed(run_query(scd2_master._date_values(date_sql, staging, inexact=true))))
        )) -%}
    {%- elif last_date and last_date >= scd2.max_date -%}
        {%- do findings.append(scd2_master._not_before_max_date(scd2, last_date)) -%}
    {%- endif -%}
    {%- do facts.update({'first_date': first_date, 'last_date': last_date}) -%}
    {%- if scd2.input_kind == 'snapshot' -%}
        {%- do facts.update({'effective_date': first_date}) -%}
    {%- elif scd2.input_kind == 'snapshot_series' and not findings -%}
        {%- do scd2_master._skip_dates(scd2, facts, staging) -%}
    {%- endif -%}
    {%- do scd2_master._check_initial(scd2, facts.first_date, findings) -%}
{%- endmacro %}


{# The dates of a series before the prior's latest boundary are skipped, with a warning. Rule: SPEC section 7. #}
{% macro _skip_dates(scd2, facts, staging) -%}
    {%- set latest = scd2_master._parse_boundary(facts.latest_boundary, scd2.validity_type) -%}
    {%- set query -%}
        select {{ scd2_master.as_text(facts.date_sql.value) }} as day from {{ staging }} as src group by 1 order by 1
    {%- endset -%}
    {%- set applied = [] -%}
    {%- for row in run_query(query) -%}
        {%- set day = scd2_master._parse_boundary(row['day'], scd2.validity_type) -%}
        {%- do (facts.skipped if latest and day < latest else applied).append(day) -%}
    {%- endfor -%}
    {%- if facts.skipped -%}
        {%- do exceptions.warn(
            'scd2_master ' ~ scd2.model ~ ': dates before the latest recorded boundary ' ~ scd2_master._boundary_text(latest)
            ~ ' are skipped: ' ~ facts.skipped | map('replace', '.000000', '') | join(', ')
        ) -%}
    {%- endif -%}
    {%- do facts.update({
        'latest_boundary': latest, 'first_date': applied | first | default(none), 'last_date': applied | last | default(none)
    }) -%}
{%- endmacro %}


{% macro _undated_keys(layout, date_sql, staging) -%}
    {%- set key = layout.key | map(attribute='incoming') | list -%}
    select {{ scd2_master._key_text(key) }} as offender, count(*) as n, count(*) over () as total
    from {{ staging }} as src
    where {{ date_sql.column }} is null
    group by {{ key | join(', ') }}
    order by 2 desc, 1
    limit 5
{%- endmacro %}


{% macro _date_values(date_sql, staging, inexact=false) -%}
    select coalesce({{ scd2_master.as_text(date_sql.column) }}, 'null') as offender, count(*) as n, count(*) over () as total
    from {{ staging }} as src
    {%- if inexact %}
    where {{ date_sql.column }} is not null and not coalesce({{ date_sql.exact }}, false)
    {%- endif %}
    group by 1
    order by 2 desc, 1
    limit 5
{%- endmacro %}


{% macro _date_type(scd2, what) -%}
    {{ return(scd2_master._finding(
        'effective_date_type', 'effective_date_column ' ~ scd2.effective_date_column ~ ' ' ~ what,
        "Cast it to a date" ~ (" or a timestamp of microseconds" if scd2.validity_type == 'timestamp' else ' without a time')
        ~ " in the model's SELECT"
    )) }}
{%- endmacro %}
