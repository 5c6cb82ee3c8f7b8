{#
    What the formats draw: {'key_name', 'label_name', 'since_name', 'relation', 'groups': [{'name', 'steps'}], 'boundaries', 'day', 'notes'}. A step is a version or the
    time without one: {'start', 'end', 'since', 'label', 'kind'}, `kind` open, closed or gap. start and end are boundaries as _parse_boundary
    writes them; none where there is no such boundary.
#}
{% macro _timeline_drawing(history, findings) -%}
    {%- set rows = run_query(scd2_master._timeline_sql(history)).rows -%}
    {%- set groups = scd2_master._rows_by_key(history, rows, findings) -%}
    {%- set labels = scd2_master._telling_labels(history, groups) -%}
    {%- set boundaries = [] -%}
    {%- for group in groups -%}
        {%- do group.update({'steps': scd2_master._version_steps(history, group.versions, labels)}) -%}
        {%- do boundaries.extend(group.steps | map(attribute='start') | select | list) -%}
        {%- do boundaries.extend(group.steps | map(attribute='end') | select | list) -%}
    {%- endfor -%}
    {%- set boundaries = boundaries | unique | sort -%}
    {%- set day = scd2_master._common_day(boundaries) -%}
    {%- for step in groups | map(attribute='steps') | sum(start=[]) if step.start -%}
        {%- do step.update({'since': scd2_master._moment(step.start, boundaries, day)}) -%}
    {%- endfor -%}
    {{ return({
        'key_name': scd2_master._printable(history.key | map(attribute='name') | join(', ')),
        'since_name': scd2_master._printable(history.valid_from.name),
        'label_name': scd2_master._printable(labels | map(attribute='name') | join(', ')),
        'relation': scd2_master._printable(history.relation.identifier | replace('""', '"')),
        'groups': groups, 'boundaries': boundaries, 'day': day,
        'notes': scd2_master._drawing_notes(history, groups, rows, day),
    }) }}
{%- endmacro %}


{# The rows of each key: those asked for in their order, else the first ten. #}
{% macro _rows_by_key(history, rows, findings) -%}
    {%- set width = history.key | length -%}
    {%- set by_rank = {} -%}
    {%- for row in rows -%}
        {%- set values = row.values() | list -%}
        {%- set group = by_rank.setdefault(row['key_rank'], {'key': values[:width], 'versions': [], 'total': row['versions']}) -%}
        {%- do group.versions.append({
            'start': row['valid_from'], 'end': row['valid_to'], 'values': values[width:width + history.labels | length]
        }) -%}
    {%- endfor -%}
    {%- set groups = by_rank.values() | list -%}
    {%- for group in groups -%}
        {%- do group.update({'name': scd2_master._values_text(group.key)}) -%}
    {%- endfor -%}
    {%- if history.wanted is none -%}
        {{ return(groups[:10]) }}
    {%- endif -%}
    {%- set found = groups | map(attribute='key') | list -%}
    {%- set missing = history.wanted | reject('in', found) | list -%}
    {%- if missing -%}
        {%- do findings.append(scd2_master._no_such_keys(history, missing)) -%}
    {%- endif -%}
    {%- set ordered = [] -%}
    {%- for key in history.wanted if key in found -%}
        {%- set group = groups[found.index(key)] -%}
        {%- do ordered.append(group) if group not in ordered -%}
    {%- endfor -%}
    {{ return(ordered) }}
{%- endmacro %}


{% macro _no_such_keys(history, missing) -%}
    {%- set names = [] -%}
    {%- for key in missing[:5] -%}
        {%- do names.append(scd2_master._values_text(key)) -%}
    {%- endfor -%}
    {{ return(scd2_master._finding(
        'invalid_option',
        history.relation ~ ' has no version of ' ~ names | join('; ') ~ (' and more' if missing | length > 5 else '')
        ~ ' (' ~ history.key | map(attribute='name') | join(', ') ~ ')',
        'Write keys as the table shows them, or leave keys out to see the first ones'
    )) }}
{%- endmacro %}


{% macro _values_text(values) -%}
    {%- set texts = [] -%}
    {%- for value in values -%}
        {%- do texts.append('null' if value is none else (scd2_master._printable(value) or "''")) -%}
    {%- endfor -%}
    {{ return(texts | join(', ')) }}
{%- endmacro %}


{# Of several columns that nobody chose, those whose value changes within a key; the first where none does. #}
{% macro _telling_labels(history, groups) -%}
    {%- set telling = [] -%}
    {%- for label in history.labels -%}
        {%- set place = loop.index0 -%}
        {%- set changes = [] -%}
        {%- for group in groups if group.versions | map(attribute='values') | map(attribute=place) | unique(case_sensitive=true) | list | length > 1 -%}
            {%- do changes.append(group) -%}
        {%- endfor -%}
        {%- do telling.append(dict(label, place=place)) if changes or not history.choose -%}
    {%- endfor -%}
    {{ return(telling or [dict(history.labels[0], place=0)]) }}
{%- endmacro %}


{# The versions of a key in the order of time, and between and after them the times without one. #}
{% macro _version_steps(history, versions, labels) -%}
    {%- set steps = [] -%}
    {%- set covered = namespace(until='') -%}
    {%- for version in versions -%}
        {%- set start = scd2_master._parse_boundary(version.start, 'timestamp') -%}
        {%- set end = scd2_master._parse_boundary(version.end, 'timestamp') -%}
        {%- set is_open = not end or end >= history.max_date -%}
        {%- if covered.until and start and start > covered.until -%}
            {%- do steps.append(scd2_master._gap(covered.until, start)) -%}
        {%- endif -%}
        {%- set values = [] -%}
        {%- for label in labels -%}
            {%- do values.append(version['values'][label.place]) -%}
        {%- endfor -%}
        {%- do steps.append({
            'start': start, 'end': none if is_open else end, 'since': scd2_master._values_text([version.start]),
            'label': scd2_master._values_text(values), 'kind': 'open' if is_open else 'closed',
        }) -%}
        {%- set covered.until = none if is_open or covered.until is none else [covered.until, end] | max -%}
    {%- endfor -%}
    {%- if covered.until -%}
        {%- do steps.append(scd2_master._gap(covered.until, none)) -%}
    {%- endif -%}
    {{ return(steps) }}
{%- endmacro %}


{% macro _gap(start, end) -%}
    {{ return({'start': start, 'end': end, 'label': '(no version)', 'kind': 'gap'}) }}
{%- endmacro %}


{# The day on which all boundaries lie; none where they lie on several, or have no time. #}
{% macro _common_day(boundaries) -%}
    {%- set days = [] -%}
    {%- for boundary in boundaries -%}
        {%- do days.append(boundary[:10]) -%}
    {%- endfor -%}
    {%- set is_one = days | unique | list | length == 1 -%}
    {{ return(days[0] if is_one and boundaries != [days[0] ~ ' 00:00:00.000000'] else none) }}
{%- endmacro %}


{# A boundary as it is written into a drawing: dates where no boundary has a time, times where all lie on one day. #}
{% macro _moment(boundary, boundaries, day) -%}
    {%- set midnight = ' 00:00:00.000000' -%}
    {%- for other in boundaries if not other.endswith(midnight) -%}
        {{ return(scd2_master._boundary_text(boundary[11:] if day else boundary)) }}
    {%- endfor -%}
    {{ return(boundary | replace(midnight, '')) }}
{%- endmacro %}


{# What a reader of the drawing has to know beside it. #}
{% macro _drawing_notes(history, groups, rows, day) -%}
    {%- set notes = ['All on ' ~ day ~ '.'] if day else [] -%}
    {%- for group in groups if group.total > group.versions | length -%}
        {%- do notes.append(group.name ~ ' has ' ~ group.total ~ ' versions: the newest ' ~ group.versions | length ~ ' are drawn.') -%}
    {%- endfor -%}
    {%- if history.wanted is none and rows | map(attribute='key_rank') | unique | list | length > groups | length -%}
        {%- do notes.append('The first ' ~ groups | length ~ ' keys: name others in keys.') -%}
    {%- elif not groups -%}
        {%- do notes.append('There are no versions.') -%}
    {%- endif -%}
    {{ return(notes) }}
{%- endmacro %}
