{# What a guard found: its slug, what is wrong, and what to do, both without the final full stop. #}
{% macro _finding(slug, what, remedy) -%}
    {{ return({'slug': slug, 'what': what, 'remedy': remedy}) }}
{%- endmacro %}


{% macro _not_before_max_date(scd2, effective_date) -%}
    {{ return(scd2_master._finding(
        'effective_date_not_before_max_date',
        'the effective date ' ~ scd2_master._boundary_text(effective_date) ~ ' is not before max_date '
        ~ scd2_master._boundary_text(scd2.max_date),
        'Use an earlier effective date, or a later max_date for a new table'
    )) }}
{%- endmacro %}


{# 'YYYY-MM-DD HH:MM:SS.000000' as people read it. #}
{% macro _boundary_text(boundary) -%}
    {{ return(boundary | replace('.000000', '')) }}
{%- endmacro %}
