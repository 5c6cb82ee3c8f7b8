{#
    The drawing for a terminal, in ASCII but for the values: a line per version, `[===)` from its first day until before its end, `[===>`
    where it is open, dots where the key has no version, `|` where a version is narrower than a column.
#}
{% macro _timeline_text(drawing, layout) -%}
    {%- set dates = namespace(text='', ticks='') -%}
    {%- for date in layout.dates -%}
        {%- set dates.text = dates.text.ljust(date.start) ~ date.text -%}
        {%- set dates.ticks = dates.ticks.ljust(date.at | round | int) ~ '|' -%}
    {%- endfor -%}
    {%- set lines = [
        scd2_master._timeline_line(layout, drawing.key_name, drawing.since_name, drawing.label_name, dates.text),
        scd2_master._timeline_line(layout, '', '', '', dates.ticks),
    ] -%}
    {%- for key in drawing.groups -%}
        {%- for step in key.steps -%}
            {%- do lines.append(scd2_master._timeline_line(
                layout, key.name if loop.first else '', step.since, step.label, scd2_master._timeline_bar(step, layout)
            )) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- for note in layout.notes -%}
        {%- do lines.append('') if loop.first -%}
        {%- do lines.append(scd2_master._shortened(note, layout.width)) -%}
    {%- endfor -%}
    {{ return(lines | join('\n')) }}
{%- endmacro %}


{% macro _timeline_line(layout, key, since, label, bar) -%}
    {%- set line = [
        scd2_master._fitted(key, layout.key_width), scd2_master._fitted(since, layout.since_width),
        scd2_master._fitted(label, layout.label_width), bar
    ] | join('  ') -%}
    {{ return(line.rstrip()) }}
{%- endmacro %}


{% macro _timeline_bar(step, layout) -%}
    {%- set start = (layout.positions[step.start] if step.start else 0) | round | int -%}
    {%- set end = (layout.positions[step.end] if step.end else layout.plot - 1) | round | int -%}
    {%- set width = end - start - 1 -%}
    {%- set opening = '[' if step.start else '<' -%}
    {%- if step.kind == 'gap' -%}
        {%- set bar = '.' * (end - start) -%}
    {%- elif step.kind == 'open' -%}
        {%- set bar = opening ~ '=' * width ~ '>' -%}
    {%- else -%}
        {%- set bar = opening ~ '=' * width ~ ')' if width >= 0 else '|' -%}
    {%- endif -%}
    {{ return(' ' * start ~ bar) }}
{%- endmacro %}
