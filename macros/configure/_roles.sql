{# No column has two roles or stands twice in a list. What differs only in case is checked against the real columns. #}
{% macro _check_roles(scd2, findings) -%}
    {%- set tracked = scd2.tracked_columns | list if scd2_master._is_list(scd2.tracked_columns) else [] -%}
    {%- set consumed = scd2_master._is_consumed(scd2) -%}
    {%- set date_column = scd2_master._as_list(scd2.effective_date_column) -%}
    {%- set exclusive = scd2.unique_key + tracked + scd2_master._untracked(scd2) -%}
    {%- if consumed -%}
        {%- set exclusive = exclusive + date_column -%}
    {%- else -%}
        {#- the effective-date column is carried like any other, so it may be listed as carried -#}
        {%- set exclusive = exclusive + (date_column | reject('in', scd2.carried_columns) | list) -%}
    {%- endif -%}
    {%- do findings.extend(scd2_master._doubled(exclusive)) -%}
{%- endmacro %}


{# The columns that the configuration names and that open no version. #}
{% macro _untracked(scd2) -%}
    {{ return(scd2.carried_columns | list + scd2.type0_columns | list + scd2.type1_columns | list) }}
{%- endmacro %}


{% macro _doubled(names) -%}
    {%- set findings = [] -%}
    {%- for name in names | unique(case_sensitive=true) if names.count(name) > 1 -%}
        {%- do findings.append(scd2_master._finding(
            'overlapping_roles', 'column ' ~ name ~ ' has two roles, or stands twice in a list',
            'Name each column once, in unique_key, tracked_columns, carried_columns, type0_columns, type1_columns or '
            ~ 'effective_date_column'
        )) -%}
    {%- endfor -%}
    {{ return(findings) }}
{%- endmacro %}


{# Whether the effective-date column is named like an interval column, which then takes its place. #}
{% macro _is_consumed(scd2) -%}
    {%- set names = scd2.interval_names.values() | map('lower') | list -%}
    {{ return(scd2.effective_date_column is not none and scd2.effective_date_column | lower in names) }}
{%- endmacro %}
