{#
    Whether the run may write into the own table: it is the prior, and has every column of the result in its type already.
    Otherwise a merge run writes the table anew, as rebuild does.
#}
{% macro merges(scd2, layout, prior_relation) -%}
    {%- if scd2.scd2_strategy != 'merge' or not prior_relation -%}
        {{ return(false) }}
    {%- endif -%}
    {%- for column in layout.columns if not column.recorded or column.type != column.recorded.type -%}
        {{ return(false) }}
    {%- endfor -%}
    {{ return(true) }}
{%- endmacro %}
