{#
    Where everything stands, in cells of a terminal: {'width', 'key_width', 'since_width', 'label_width', 'plot', 'positions', 'to_scale',
    'dates'}. `positions` places each boundary on the plot, from 0 to `plot`; its right end is after the last boundary.
    `dates` are those that find room above it.
#}
{% macro _timeline_layout(drawing, width) -%}
    {%- set steps = drawing.groups | map(attribute='steps') | sum(start=[]) -%}
    {%- set since_width = scd2_master._column_width(steps | map(attribute='since') | list + [drawing.since_name[:10]], 26) -%}
    {#- two blanks between the four columns -#}
    {%- set room = width - since_width - 6 -%}
    {%- set key_width = scd2_master._column_width(
        drawing.groups | map(attribute='name') | list + [drawing.key_name], room // 4
    ) -%}
    {%- set label_width = scd2_master._column_width(
        steps | map(attribute='label') | list + [drawing.label_name], room * 3 // 8
    ) -%}
    {%- set plot = room - key_width - label_width -%}
    {%- set true_positions = scd2_master._true_positions(drawing.boundaries, plot) -%}
    {%- set to_scale = not scd2_master._is_squashed(drawing.groups, true_positions) -%}
    {%- set positions = true_positions if to_scale else scd2_master._equal_positions(drawing.boundaries, plot) -%}
    {{ return({
        'width': width, 'key_width': key_width, 'since_width': since_width, 'label_width': label_width, 'plot': plot,
        'positions': positions, 'to_scale': to_scale, 'dates': scd2_master._placed_dates(drawing, positions, plot),
        'notes': drawing.notes + ([] if to_scale else ['Not to scale: equal steps from boundary to boundary.']),
    }) }}
{%- endmacro %}


{# How much of the plot the boundaries take: open versions run on to its right end. #}
{% macro _boundary_room(plot) -%}
    {{ return(plot - [plot // 6, 4] | max) }}
{%- endmacro %}


{% macro _true_positions(boundaries, plot) -%}
    {%- set instants = [] -%}
    {%- for boundary in boundaries -%}
        {%- do instants.append(modules.datetime.datetime.fromisoformat(boundary)) -%}
    {%- endfor -%}
    {%- set span = (instants[-1] - instants[0]).total_seconds() if instants | length > 1 else 1 -%}
    {%- set positions = {} -%}
    {%- for instant in instants -%}
        {%- do positions.update({
            boundaries[loop.index0]: (instant - instants[0]).total_seconds() / span * scd2_master._boundary_room(plot)
        }) -%}
    {%- endfor -%}
    {{ return(positions) }}
{%- endmacro %}


{% macro _equal_positions(boundaries, plot) -%}
    {%- set positions = {} -%}
    {%- for boundary in boundaries -%}
        {%- do positions.update({boundary: loop.index0 * scd2_master._boundary_room(plot) / [loop.length - 1, 1] | max}) -%}
    {%- endfor -%}
    {{ return(positions) }}
{%- endmacro %}


{# Whether two boundaries of one key fall into the same column. #}
{% macro _is_squashed(keys, positions) -%}
    {%- for key in keys -%}
        {%- set columns = {} -%}
        {%- for step in key.steps -%}
            {%- for boundary in [step.start, step.end] | select -%}
                {%- set column = positions[boundary] | round | int -%}
                {%- if columns.setdefault(column, boundary) != boundary -%}
                    {{ return(true) }}
                {%- endif -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{#
    The boundaries that are dated above the plot, by the day, or by the time where all lie on one: {'text', 'start', 'at'}, from left to right. The
    first and the last come first, then whichever has two cells of room on both sides.
#}
{% macro _placed_dates(drawing, positions, plot) -%}
    {%- set boundaries = drawing.boundaries -%}
    {%- set placed = [] -%}
    {%- for boundary in boundaries[:1] + boundaries[1:][-1:] + boundaries[1:-1] -%}
        {%- set text = scd2_master._moment(boundary, boundaries, drawing.day) if drawing.day else boundary[:10] -%}
        {%- set at = positions[boundary] | round | int -%}
        {%- set start = [0, [at - text | length // 2, plot - text | length] | min] | max -%}
        {%- set near = namespace(found=text | length > plot or text in placed | map(attribute='text')) -%}
        {%- for other in placed if start < other.start + other.text | length + 2 and other.start < start + text | length + 2 -%}
            {%- set near.found = true -%}
        {%- endfor -%}
        {%- do placed.append({'text': text, 'start': start, 'at': positions[boundary]}) if not near.found -%}
    {%- endfor -%}
    {{ return(placed | sort(attribute='start')) }}
{%- endmacro %}
