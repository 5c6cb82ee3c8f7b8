{#
    The drawing as SVG that needs nothing from outside. It has the layout of the text, in cells of 8 by 24 pixels, but exact positions, and is all
    ASCII, so that no encoding can spoil it.
#}
{% macro _timeline_svg(drawing, layout) -%}
    {%- set width = 8 * layout.width + 32 -%}
    {%- set plot = 16 + 8 * (layout.width - layout.plot) -%}
    {%- set body = [scd2_master._svg_line_of_texts(
        layout, 34, {'quiet key': drawing.key_name, 'quiet since': drawing.since_name, 'quiet label': drawing.label_name}
    )] -%}
    {%- set row = namespace(top=52) -%}
    {%- for key in drawing.groups -%}
        {%- do body.append(scd2_master._svg('path', {'class': 'rule', 'd': 'M16 %d H%d' | format(row.top, width - 16)})) -%}
        {%- set row.top = row.top + 4 -%}
        {%- for step in key.steps -%}
            {%- set label = 'quiet label' if step.kind == 'gap' else 'label' -%}
            {%- do body.append(scd2_master._svg_line_of_texts(
                layout, row.top + 17, {'key': key.name if loop.first else '', 'since': step.since, label: step.label}
            )) -%}
            {%- do body.append(scd2_master._svg_bar(drawing, key, step, layout, plot, row.top + 12)) -%}
            {%- set row.top = row.top + 24 -%}
        {%- endfor -%}
        {%- set row.top = row.top + 4 -%}
    {%- endfor -%}
    {%- set axis = scd2_master._svg_dates(layout, plot, row.top) -%}
    {%- for note in layout.notes -%}
        {%- do body.append(scd2_master._svg('text', {'class': 'quiet', 'x': 16, 'y': row.top + 24}, scd2_master._shortened(note, layout.width))) -%}
        {%- set row.top = row.top + 24 -%}
    {%- endfor -%}
    {{ return(scd2_master._svg_page(drawing, width, row.top + 16, axis + body)) }}
{%- endmacro %}


{% macro _svg_page(drawing, width, height, elements) -%}
    {%- set title = drawing.relation ~ ': ' ~ drawing.label_name ~ ' by ' ~ drawing.key_name -%}
    {%- set opening = '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-size="13"'
        | format(width, height, width, height)
        ~ ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace">' -%}
    {{ return(([
        opening, scd2_master._svg('title', {}, title), scd2_master._svg_style(),
        scd2_master._svg('rect', {'class': 'page', 'width': width, 'height': height}),
    ] + (elements | select | list) + ['</svg>']) | join('\n')) }}
{%- endmacro %}


{# The page has its own ground, light or dark, so it can be read wherever it stands. #}
{% macro _svg_style() -%}
    {%- set rules = '.page{fill:%s}text{fill:%s}.quiet{fill:%s}.gap{stroke:%s}.rule,.date{stroke:%s}.closed{fill:%s}.open{fill:%s}' -%}
    {{ return(
        '<style>'
        ~ rules | format('#ffffff', '#1f2933', '#5f6c7b', '#5f6c7b', '#c3ccd6', '#9fb6d3', '#2f6db5')
        ~ '.key{font-weight:bold}.date{stroke-dasharray:2 3}.gap{stroke-dasharray:2 6;stroke-width:2}.rule,.date,.gap{fill:none}'
        ~ '@media (prefers-color-scheme:dark){'
        ~ rules | format('#14181d', '#e3e8ee', '#98a5b3', '#98a5b3', '#46515d', '#4a658c', '#6ea8ec') ~ '}</style>'
    ) }}
{%- endmacro %}


{# The texts of a line: the key, since when, and the label, as {class: text}. #}
{% macro _svg_line_of_texts(layout, y, texts) -%}
    {%- set widths = [layout.key_width, layout.since_width, layout.label_width] -%}
    {%- set elements = [] -%}
    {%- for class, text in texts.items() if text -%}
        {%- set place = (texts | list).index(class) -%}
        {%- do elements.append(scd2_master._svg(
            'text', {'class': class, 'x': 16 + 8 * (widths[:place] | sum + 2 * place), 'y': y},
            scd2_master._shortened(text, widths[place])
        )) -%}
    {%- endfor -%}
    {{ return(elements | join('\n')) }}
{%- endmacro %}


{# The dates above the plot and a line down from each. #}
{% macro _svg_dates(layout, plot, bottom) -%}
    {%- set elements = [] -%}
    {%- for date in layout.dates -%}
        {%- set at = '%.1f' | format(plot + 8 * date.at) -%}
        {%- do elements.append(scd2_master._svg('path', {'class': 'date', 'd': 'M' ~ at ~ ' 40 V' ~ bottom})) -%}
        {%- do elements.append(scd2_master._svg('text', {'class': 'quiet', 'x': plot + 8 * date.start, 'y': 34}, date.text)) -%}
    {%- endfor -%}
    {{ return(elements) }}
{%- endmacro %}


{# A version as a bar, an open one with an arrow at its end; the time without one as dots. `middle` is the height of the line's middle. #}
{% macro _svg_bar(drawing, key, step, layout, plot, middle) -%}
    {%- set start = plot + 8 * (layout.positions[step.start] if step.start else 0) -%}
    {%- set end = plot + 8 * (layout.positions[step.end] if step.end else layout.plot - 1) -%}
    {%- set from, to = '%.1f' | format(start), '%.1f' | format(end) -%}
    {%- if step.kind == 'gap' -%}
        {{ return(scd2_master._svg('path', {'class': 'gap', 'd': 'M%s %d H%s' | format(from, middle, to)})) }}
    {%- endif -%}
    {%- set bar = scd2_master._svg('rect', {
        'class': step.kind, 'x': from, 'y': middle - 7, 'width': '%.1f' | format([end - start, 1] | max), 'height': 14
    }, title=key.name ~ ': ' ~ step.label ~ ', from ' ~ step.since
        ~ (' until before ' ~ scd2_master._moment(step.end, drawing.boundaries, drawing.day) if step.end else ', open')) -%}
    {{ return(bar if step.end else bar ~ '\n' ~ scd2_master._svg(
        'path', {'class': 'open', 'd': 'M%s %d l8 10 l-8 10 z' | format(to, middle - 10)}
    )) }}
{%- endmacro %}


{# An element; `title` is what shows when the mouse rests on it. #}
{% macro _svg(name, attributes, text='', title=none) -%}
    {%- set element = namespace(text='<' ~ name) -%}
    {%- for attribute, value in attributes.items() -%}
        {%- set element.text = element.text ~ ' ' ~ attribute ~ '="' ~ value ~ '"' -%}
    {%- endfor -%}
    {%- set inside = scd2_master._svg('title', {}, title) if title else scd2_master._xml(text) -%}
    {{ return(element.text ~ ('>' ~ inside ~ '</' ~ name ~ '>' if inside else '/>')) }}
{%- endmacro %}


{# A text in XML and in ASCII. Not the filter `escape`, whose result would escape whatever it is joined with. #}
{% macro _xml(text) -%}
    {%- set escaped = text | replace('&', '&amp;') | replace('<', '&lt;') | replace('>', '&gt;') -%}
    {{ return(escaped.encode('ascii', 'xmlcharrefreplace').decode('ascii')) }}
{%- endmacro %}
