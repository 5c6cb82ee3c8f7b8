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


{# The one effective date that the source rows carry; none where there is none, or it is not usable. #}
{% macro _source_date(scd2, facts, date_sql, staging, findings) -%}
    {%- if facts.source_rows == 0 -%}
        {{ return(none) }}
    {%- endif -%}
    {%- if facts.undated -%}
        {%- do findings.append(scd2_master._finding(
            'effective_date_null', 'effective_date_column ' ~ scd2.effective_date_column ~ ' is null on ' ~ facts.undated ~ ' rows',
            'Give every row the effective date'
        )) -%}
    {%- endif -%}
    {%- if facts.first_date != facts.last_date -%}
        {%- do findings.append(scd2_master._finding(
            'effective_date_not_uniform', 'effective_date_column ' ~ scd2.effective_date_column ~ ' differs between rows: '
            ~ scd2_master._listed(run_query(scd2_master._date_values(date_sql, staging))),
            "Select the rows of one date; input_kind 'snapshot' takes one snapshot a run"
        )) -%}
    {%- endif -%}
    {%- set effective_date = scd2_master._parse_boundary(facts.first_date, scd2.validity_type) -%}
    {%- if facts.inexact or (facts.first_date and not effective_date) -%}
        {%- do findings.append(scd2_master._date_type(scd2, 'has values that are not a ' ~ scd2.validity_type ~ ': '
            ~ scd2_master._listed(run_query(scd2_master._date_values(date_sql, staging))))) -%}
    {%- elif effective_date and effective_date >= scd2.max_date -%}
        {%- do findings.append(scd2_master._not_before_max_date(scd2, effective_date)) -%}
    {%- endif -%}
    {{ return(effective_date) }}
{%- endmacro %}


{% macro _date_values(date_sql, staging) -%}
    select coalesce({{ scd2_master.as_text(date_sql.column) }}, 'null') as offender, count(*) as n, count(*) over () as total
    from {{ staging }} as src
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
