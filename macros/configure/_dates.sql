{#
    A date or timestamp in the one form that compares as text: 'YYYY-MM-DD', or with validity_type timestamp
    'YYYY-MM-DD HH:MM:SS.ffffff'. None where the value is not a real one in its format. Rule: SPEC section 2.
#}
{% macro _parse_boundary(value, validity_type) -%}
    {%- set day = '([0-9]{4})-([0-9]{2})-([0-9]{2})' -%}
    {%- set time = '(?: ([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.]([0-9]{1,6}))?)?' if validity_type == 'timestamp' else '' -%}
    {%- set match = modules.re.fullmatch(day ~ time, value | string) -%}
    {%- if not match -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set groups = match.groups('0') | map('int') | list -%}
    {%- set year, month, date = groups[:3] -%}
    {%- set leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) -%}
    {%- set month_days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] -%}
    {%- if year < 1 or not 1 <= month <= 12 or not 1 <= date <= month_days[month - 1] -%}
        {{ return(none) }}
    {%- elif validity_type == 'date' -%}
        {{ return(match.group(0)) }}
    {%- elif groups[3] > 23 or groups[4] > 59 or groups[5] > 59 -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return(match.group(0)[:10] ~ ' %02d:%02d:%02d.' | format(*groups[3:6]) ~ (match.group(7) or '').ljust(6, '0')) }}
{%- endmacro %}


{% macro _boundary_option(key, value, validity_type, findings) -%}
    {%- set boundary = scd2_master._parse_boundary(value, validity_type) -%}
    {%- if boundary is none -%}
        {%- set timed = validity_type == 'date' and scd2_master._parse_boundary(value, 'timestamp') -%}
        {%- do findings.append(scd2_master._finding(
            'invalid_date', key ~ ' ' ~ scd2_master._shown(value)
            ~ (' has a time, and validity_type is date' if timed else ' is not a real ' ~ {'timestamp': 'date or timestamp'}.get(validity_type, validity_type) ~ ' in its format'),
            "Use the form 'YYYY-MM-DD'"
            ~ (" or 'YYYY-MM-DD HH:MM:SS[.ffffff]'" if validity_type == 'timestamp' else '')
            ~ (', or set validity_type to timestamp' if timed else '')
        )) -%}
    {%- endif -%}
    {{ return(boundary) }}
{%- endmacro %}


{# The effective date of the run as _parse_boundary returns it; none where a source column holds it, or it is wrong. #}
{% macro _effective_date(scd2, findings) -%}
    {%- set unclear = 'effective_date' in scd2.invalid or 'effective_date_column' in scd2.invalid -%}
    {%- if (scd2.effective_date is none) == (scd2.effective_date_column is none) and not unclear -%}
        {%- do findings.append(scd2_master._finding(
            'effective_date_choice',
            ('neither' if scd2.effective_date is none else 'both') ~ ' of effective_date and effective_date_column '
            ~ ('is' if scd2.effective_date is none else 'are') ~ ' set',
            'Set exactly one of the two'
        )) -%}
    {%- endif -%}
    {%- if scd2.effective_date is none -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set problems = [] -%}
    {%- set resolved = scd2_master._resolve_tokens(scd2.effective_date | string, scd2.timezone, problems) -%}
    {%- do findings.extend(problems) -%}
    {{ return(none if problems else scd2_master._boundary_option('effective_date', resolved, scd2.validity_type, findings)) }}
{%- endmacro %}


{% macro _initial_valid_from(scd2, findings) -%}
    {{ return(none if scd2.initial_valid_from is none else scd2_master._boundary_option(
        'initial_valid_from', scd2.initial_valid_from, scd2.validity_type, findings
    )) }}
{%- endmacro %}


{# A {token} is resolved when the model runs: config() values are frozen by partial parsing. #}
{% macro _resolve_tokens(text, timezone, findings) -%}
    {%- set started = run_started_at.astimezone(modules.pytz.timezone(timezone)) -%}
    {%- set built_in = {
        'current_date': started.strftime('%Y-%m-%d'),
        'current_month': started.strftime('%Y-%m-01'),
        'current_timestamp': started.strftime('%Y-%m-%d %H:%M:%S.%f'),
    } -%}
    {%- set resolved = namespace(text=text) -%}
    {%- for token in modules.re.findall('[{]([^{}]*)[}]', text) -%}
        {%- set value = built_in.get(token, var(token, none)) -%}
        {%- if value is none -%}
            {%- do findings.append(scd2_master._finding(
                'undefined_token', 'effective_date uses {' ~ token ~ '} and there is no var of that name',
                'Pass it with --vars, or use {current_date}, {current_month} or {current_timestamp}'
            )) -%}
        {%- else -%}
            {%- set resolved.text = resolved.text | replace('{' ~ token ~ '}', value | string) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(resolved.text) }}
{%- endmacro %}


{# The time zone in which the run's start and zoned source timestamps are read. #}
{% macro _timezone(findings) -%}
    {%- set timezone = var('scd2_timezone', 'UTC') -%}
    {%- if timezone in modules.pytz.all_timezones -%}
        {{ return(timezone) }}
    {%- endif -%}
    {%- do findings.append(scd2_master._invalid_option(
        "var('scd2_timezone')", timezone, "it must be the name of a time zone such as 'Europe/Berlin'"
    )) -%}
    {{ return('UTC') }}
{%- endmacro %}


{% macro _check_dates(scd2, findings) -%}
    {%- if scd2.effective_date and scd2.max_date and scd2.effective_date >= scd2.max_date -%}
        {%- do findings.append(scd2_master._not_before_max_date(scd2, scd2.effective_date)) -%}
    {%- endif -%}
    {%- do scd2_master._check_initial(scd2, scd2.effective_date, findings) -%}
{%- endmacro %}


{# initial_valid_from lies before the first effective date of the run, where that is known. #}
{% macro _check_initial(scd2, effective_date, findings) -%}
    {%- if scd2.initial_valid_from and effective_date and scd2.initial_valid_from >= effective_date -%}
        {%- do findings.append(scd2_master._invalid_option(
            'initial_valid_from', scd2_master._boundary_text(scd2.initial_valid_from),
            'it must be before the effective date ' ~ scd2_master._boundary_text(effective_date)
        )) -%}
    {%- endif -%}
{%- endmacro %}
