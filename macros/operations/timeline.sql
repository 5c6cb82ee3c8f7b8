{#
    Draws the versions of one or several keys on a common time axis, on standard output: `text` for a terminal, `mermaid`, or `svg`.
    Steps: read the arguments, read the versions, lay them out, draw.
#}
{% macro timeline(relation, keys=none, columns=none, format='text', width=80, unique_key=none, column_names=none, max_date=none) -%}
    {%- if execute -%}
        {%- set findings = [] -%}
        {%- set history = scd2_master._timeline_history(relation, {
            'keys': keys, 'columns': columns, 'format': format, 'width': width,
            'unique_key': unique_key, 'column_names': column_names, 'max_date': max_date,
        }, findings) -%}
        {%- do scd2_master.raise_findings('timeline', findings) -%}
        {%- set drawing = scd2_master._timeline_drawing(history, findings) -%}
        {%- do scd2_master.raise_findings('timeline', findings) -%}
        {%- if format == 'mermaid' -%}
            {%- do print(scd2_master._timeline_mermaid(drawing)) -%}
        {%- elif format == 'svg' -%}
            {%- do print(scd2_master._timeline_svg(drawing, scd2_master._timeline_layout(drawing, width))) -%}
        {%- else -%}
            {%- do print(scd2_master._timeline_text(drawing, scd2_master._timeline_layout(drawing, width))) -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
