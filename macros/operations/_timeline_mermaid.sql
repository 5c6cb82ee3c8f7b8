{#
    The drawing as a Gantt chart of Mermaid, which is always to scale and counts in milliseconds: a section per key, a bar per version. `axis` says
    where it begins and ends, and so where open versions end.
#}
{% macro _timeline_mermaid(drawing) -%}
    {%- set axis = scd2_master._mermaid_axis(drawing.boundaries) -%}
    {%- set lines = [
        'gantt',
        '    title ' ~ scd2_master._mermaid_text(drawing.relation ~ ': ' ~ drawing.label_name ~ ' by ' ~ drawing.key_name),
        '    dateFormat YYYY-MM-DD HH:mm:ss.SSS',
    ] + axis.ticks + ['    todayMarker off'] -%}
    {%- for key in drawing.groups -%}
        {%- do lines.append('    section ' ~ scd2_master._mermaid_text(key.name)) -%}
        {%- for step in key.steps if step.kind != 'gap' -%}
            {%- set start = [step.start or axis.start, axis.start] | max -%}
            {%- set end = [step.end or axis.end, start] | max -%}
            {#- a label that begins with a date or a word of Mermaid's would be read as one -#}
            {%- do lines.append(
                '    ' ~ scd2_master._mermaid_text('since ' ~ step.since ~ ' ' ~ step.label)
                ~ (' :active, ' if step.kind == 'open' else ' :done, ') ~ start[:23] ~ ', ' ~ end[:23]
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- for note in drawing.notes -%}
        {%- do lines.append('    %% ' ~ note) -%}
    {%- endfor -%}
    {{ return(lines | join('\n')) }}
{%- endmacro %}


{#
    A tenth of the whole time, at least a second, is added after the last boundary, and ten days after an only one. Where the first step is so long that the others
    had less than a fifth of the picture, the axis begins a tenth before the second boundary.
#}
{% macro _mermaid_axis(boundaries) -%}
    {%- if not boundaries -%}
        {{ return({'start': '1970-01-01 00:00:00.000000', 'end': '1970-01-02 00:00:00.000000', 'ticks': []}) }}
    {%- endif -%}
    {%- set datetime = modules.datetime.datetime -%}
    {%- set first = datetime.fromisoformat(boundaries[0]) -%}
    {%- set second = datetime.fromisoformat(boundaries[1] if boundaries | length > 1 else boundaries[0]) -%}
    {%- set last = datetime.fromisoformat(boundaries[-1]) -%}
    {%- set is_cut = last > second and second - first > 4 * (last - second) -%}
    {%- set start = second - (last - second) / 10 if is_cut else first -%}
    {%- set more = [(last - start) / 10, modules.datetime.timedelta(days=0 if last > first else 10, seconds=1)] | max -%}
    {%- set end = last + [more, datetime.max - last] | min -%}
    {{ return({
        'start': scd2_master._parse_boundary(start, 'timestamp'), 'end': scd2_master._parse_boundary(end, 'timestamp'),
        'ticks': scd2_master._mermaid_ticks((end - start).total_seconds() / 86400),
    }) }}
{%- endmacro %}


{# How the axis is dated: Mermaid's own choice lets the dates of all but short times run into each other. #}
{% macro _mermaid_ticks(days) -%}
    {%- for more_than, interval, format in [
        (2200, none, '%Y'), (366, '6month', '%Y-%m'), (60, '1month', '%Y-%m'), (8, '1week', '%Y-%m-%d'),
        (2, '1day', '%Y-%m-%d'), (0.5, none, '%m-%d %H:%M'), (0, none, '%H:%M:%S')
    ] if days > more_than -%}
        {{ return(['    axisFormat ' ~ format] + (['    tickInterval ' ~ interval] if interval else [])) }}
    {%- endfor -%}
{%- endmacro %}


{# What would end a label or begin a comment in Mermaid, as its numbered entities. #}
{% macro _mermaid_text(text) -%}
    {%- set escaped = namespace(text=text | replace('#', '\x01') | replace(';', '\x02')) -%}
    {%- for sign, number in {':': 58, '"': 34, "'": 39, '%': 37, '<': 60, '>': 62, '&': 38, '`': 96, '\\': 92, '{': 123, '}': 125}.items() -%}
        {%- set escaped.text = escaped.text | replace(sign, '#' ~ number ~ ';') -%}
    {%- endfor -%}
    {{ return(escaped.text | replace('\x01', '#35;') | replace('\x02', '#59;')) }}
{%- endmacro %}
