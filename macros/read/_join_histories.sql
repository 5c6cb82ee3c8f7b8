{#
    What join_histories writes down, from its arguments by name: names quoted for SQL, and those of its own CTEs. In these the columns
    have names of our own. All that is wrong is raised in one message.
#}
{% macro _join_of_histories(arguments) -%}
    {%- set findings = [] -%}
    {%- do scd2_master._check_join_of_histories(arguments, findings) -%}
    {%- set key = scd2_master._key_sides('key', arguments.key, findings) -%}
    {%- set renamed = scd2_master._given_output_names(arguments.column_names, findings) -%}
    {%- set left = scd2_master._joined_side('left', 'lefts', arguments, key.left, renamed, findings) -%}
    {%- set right = scd2_master._joined_side('right', 'versions', arguments, key.right, renamed, findings) -%}
    {%- do scd2_master._check_types_of_dates(left.dates + right.dates, findings, meet_a_date=false) -%}
    {%- do scd2_master._align(left, right) -%}
    {%- set output = scd2_master._interval_and_flag(renamed).values() | sum(start=[]) -%}
    {%- if not findings -%}
        {%- do findings.extend(scd2_master._joined_twice(left['columns'], right['columns'], arguments.prefix, output)) -%}
    {%- endif -%}
    {%- do scd2_master.raise_findings(scd2_master._reader('join_histories'), findings) -%}
    {%- set inputs = arguments.left ~ ' ' ~ arguments.right -%}
    {%- set versions = scd2_master._free_name('right_versions', inputs) -%}
    {%- set rights = scd2_master._free_name('right_periods', inputs) if arguments.join_type == 'left' else versions -%}
    {{ return({
        'left': left,
        'right': right,
        'right_item': scd2_master._from_item(arguments.right),
        'with_gaps': arguments.join_type == 'left',
        'key': scd2_master._numbered('key_', right.key),
        'columns': scd2_master._numbered('column_', right['columns']),
        'selected': scd2_master._joined_columns(left, right, arguments.prefix, rights),
        'output': scd2_master._quoted(output),
        'versions': versions,
        'rights': rights,
    }) }}
{%- endmacro %}


{% macro _check_join_of_histories(arguments, findings) -%}
    {%- do scd2_master._check_readable('left', arguments.left, findings) -%}
    {%- do scd2_master._check_readable('right', arguments.right, findings) -%}
    {%- for argument, fits, allowed in [
        ('join_type', arguments.join_type in ['inner', 'left'], 'inner or left'),
        ('left_columns', scd2_master._fits(arguments.left_columns or [], 'list'), 'a list of column names'),
        ('right_columns', scd2_master._fits(arguments.right_columns or [], 'list'), 'a list of column names'),
        ('prefix', arguments.prefix is string, 'a text'),
    ] if not fits -%}
        {%- do findings.append(scd2_master._invalid_argument(argument, arguments[argument], allowed)) -%}
    {%- endfor -%}
{%- endmacro %}


{% macro _interval_and_flag(renamed) -%}
    {{ return(dict(scd2_master._interval_columns(renamed), is_current=[renamed.get('is_current', 'is_current')])) }}
{%- endmacro %}


{#
    One of the two histories: {'key', 'interval'} quoted, its bounds as `dates` and as `instants`, and the real names of the `columns` that
    go into the result. Where they are left out these are all but the interval's, and on the right but the key's; the left's key is always there.
#}
{% macro _joined_side(side, table, arguments, key, renamed, findings) -%}
    {%- set history = arguments[side] -%}
    {%- set list = side ~ '_columns' -%}
    {%- set asked = arguments[list] if scd2_master._fits(arguments[list] or [], 'list') else [] -%}
    {%- set existing = scd2_master._columns_of_input(history, asked is none) -%}
    {%- set given = dict(scd2_master._interval_and_flag(renamed), key=key) -%}
    {%- do given.update({list: asked or []}) -%}
    {%- set shown = 'the query that is ' ~ side if scd2_master._is_query(history) else history -%}
    {%- set names = scd2_master._real_names(
        shown, existing, given, findings, 'column_names for both histories, or rename it in a query that is ' ~ side
    ) -%}
    {%- set interval = names.valid_from + names.valid_to + names.is_current -%}
    {%- set columns = names[list] -%}
    {%- if asked is none and existing is none and (history is string or history.identifier is defined) -%}
        {%- do findings.append(scd2_master._columns_not_known(list, history)) -%}
    {%- elif asked is none and existing -%}
        {%- set others = interval + (names.key if side == 'right' else []) -%}
        {%- set columns = existing | map(attribute='name') | reject('in', others) | list -%}
    {%- elif side == 'left' -%}
        {%- set columns = names.key | reject('in', columns) | list + columns -%}
    {%- endif -%}
    {%- set timezone = scd2_master._timezone(findings) -%}
    {%- set instants = [] -%}
    {%- for name in names.valid_from + names.valid_to -%}
        {%- do instants.append(scd2_master._instant(table, name, existing, timezone)) -%}
    {%- endfor -%}
    {{ return({
        'key': scd2_master._quoted(names.key),
        'interval': scd2_master._quoted(interval, table ~ '.'),
        'dates': scd2_master._typed_dates(shown, existing, names),
        'instants': instants,
        'columns': columns,
    }) }}
{%- endmacro %}


{#
    Bounds that are not all of one type become instants, so that those with time zone are plain ones in scd2_timezone as the others. So do all
    where some types are not known and one that is has to be converted.
#}
{% macro _align(left, right) -%}
    {%- set types = (left.dates + right.dates) | map(attribute='type') | unique | list -%}
    {%- set converted = [] -%}
    {%- for type in types if type and scd2_master.instant_sql('bound', type, 'UTC') != 'bound' -%}
        {%- do converted.append(type) -%}
    {%- endfor -%}
    {%- if types | select | list | length > 1 or (none in types and converted) -%}
        {%- for side in [left, right] -%}
            {%- do side.update({'interval': side.instants + side.interval[2:]}) -%}
        {%- endfor -%}
    {%- endif -%}
{%- endmacro %}


{% macro _columns_not_known(list, history) -%}
    {{ return(scd2_master._finding(
        'invalid_option',
        list ~ ' is not set, and the columns of ' ~ history ~ ' are not known, as it is no table, no view and no query that stands on its own',
        'List the columns that the result is to have of it, or build it first'
    )) }}
{%- endmacro %}


{#
    A query is run for its columns where they are needed, unless it reads an ephemeral model or the input of a unit test, which
    dbt adds later.
#}
{% macro _columns_of_input(history, are_needed) -%}
    {%- if not scd2_master._is_query(history) -%}
        {{ return(scd2_master._known_columns(history)) }}
    {%- elif not are_needed or '__dbt__cte__' in history -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set query = scd2_master._without_terminator(history) -%}
    {%- set types = {} -%}
    {%- for column in get_column_schema_from_query(query) -%}
        {%- do types.update({column.name: scd2_master.column_type(column)}) -%}
    {%- endfor -%}
    {#- on DuckDB a struct stands there as its fields, so not all names do -#}
    {%- set columns = [] -%}
    {%- for name in get_columns_in_query(query) -%}
        {%- do columns.append({'name': name, 'type': types.get(name)}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}


{# reserved_column: the result would have two columns of one name. #}
{% macro _joined_twice(left_columns, right_columns, prefix, output) -%}
    {%- set doubled = scd2_master._doubled_outputs([], left_columns + scd2_master._with_prefix(right_columns, prefix) + output) -%}
    {{ return([] if not doubled else [scd2_master._finding(
        'reserved_column', 'the result would have more than one column named ' ~ doubled | join(', '),
        "Set the right history's columns apart with prefix, as in prefix='customer_', or list other left_columns and right_columns"
    )]) }}
{%- endmacro %}


{# A name of our own for each of `items`. #}
{% macro _numbered(prefix, items) -%}
    {%- set names = [] -%}
    {%- for item in items -%}
        {%- do names.append(prefix ~ loop.index) -%}
    {%- endfor -%}
    {{ return(names) }}
{%- endmacro %}


{# Expressions under names of our own, as a select list. #}
{% macro _as_names(expressions, names) -%}
    {%- set selected = [] -%}
    {%- for expression in expressions -%}
        {%- do selected.append(expression ~ ' as ' ~ names[loop.index0]) -%}
    {%- endfor -%}
    {{ return(selected) }}
{%- endmacro %}


{# The columns of both sides as the result has them. #}
{% macro _joined_columns(left, right, prefix, rights) -%}
    {%- set names = scd2_master._quoted(scd2_master._with_prefix(right['columns'], prefix)) -%}
    {%- set ours = scd2_master._of(rights, scd2_master._numbered('column_', names)) -%}
    {{ return(scd2_master._of('lefts', scd2_master._quoted(left['columns'])) + scd2_master._as_names(ours, names)) }}
{%- endmacro %}


{# The right history's versions that last. Where there are gaps to fill, each knows when the key's next one starts. #}
{% macro _right_versions(join) -%}
    {%- set from, to, flag = join.right.interval -%}
    {%- set key = scd2_master._of('versions', join.right.key) -%}
    {%- set columns = scd2_master._as_names(
        key + scd2_master._of('versions', scd2_master._quoted(join.right['columns'])), join.key + join['columns']
    ) -%}
    select
        {{ columns | join(',\n        ') }},
        {{ from }} as starts_at,
        {{ to }} as ends_at,
        case when cast({{ flag }} as {{ dbt.type_int() }}) = 1 then 1 else 0 end as is_open
        {%- if join.with_gaps %},
        lead({{ from }}) over (
            partition by {{ key | join(', ') }}
            order by {{ from }}
        ) as next_starts_at
        {%- endif %}
    from {{ join.right_item }} as versions
    where {{ from }} < {{ to }}
{%- endmacro %}


{# The same, completed with what no version covers: after each, and before the first. A null bound there is without end. #}
{% macro _whole_time(join) -%}
    {%- set nothing = ['null'] * join['columns'] | length -%}
    select
        {{ (join.key + join['columns']) | join(',\n        ') }},
        starts_at,
        ends_at,
        is_open
    from {{ join.versions }}
    union all
    select
        {{ (join.key + scd2_master._as_names(nothing, join['columns'])) | join(',\n        ') }},
        ends_at as starts_at,
        next_starts_at as ends_at,
        1 as is_open
    from {{ join.versions }}
    where next_starts_at is null or ends_at < next_starts_at
    union all
    select
        {{ (join.key + scd2_master._as_names(nothing, join['columns'])) | join(',\n        ') }},
        null as starts_at,
        min(starts_at) as ends_at,
        1 as is_open
    from {{ join.versions }}
    group by
        {{ join.key | join(',\n        ') }}
{%- endmacro %}


{# That the intervals meet. Where the right may be without end, a null there is no obstacle. #}
{% macro _meets(join, left_bound, comparison, right_bound) -%}
    {%- set holds = left_bound ~ ' ' ~ comparison ~ ' ' ~ right_bound -%}
    {{ return('(' ~ right_bound ~ ' is null or ' ~ holds ~ ')' if join.with_gaps else holds) }}
{%- endmacro %}


{# Open are the versions on both sides. Where the right has none, nothing but the left version's end can close the row. #}
{% macro _is_open(join, to, flag) -%}
    {%- set is_left_open = 'cast(' ~ flag ~ ' as ' ~ dbt.type_int() ~ ') = 1' -%}
    {{ return([is_left_open] + (
        ['coalesce(' ~ join.rights ~ '.is_open, 1) = 1', 'coalesce(' ~ join.rights ~ '.ends_at >= ' ~ to ~ ', true)']
        if join.with_gaps else [join.rights ~ '.is_open = 1']
    )) }}
{%- endmacro %}
