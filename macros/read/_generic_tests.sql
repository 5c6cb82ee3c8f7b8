{#
    What a generic test reads: the quoted names of the history's real columns, and max_date as a literal. `arguments`
    are the test's own, by name. Whatever is wrong with them is raised in one message, and only where the test is
    compiled or run: a wrong test does not stop the project from being parsed.
#}
{% macro _tested_history(test, relation, arguments, with_flag=false) -%}
    {%- set history = {
        'unique_key': [], 'tracked_columns': [], 'tracked_values': [], 'valid_from': 'valid_from', 'valid_to': 'valid_to',
        'is_current': 'is_current', 'max_date': 'max_date', 'taken': [], 'instants': {},
        'bounds': ['valid_from', 'valid_to'],
    } -%}
    {%- if execute -%}
        {%- set findings = [] -%}
        {%- set given = scd2_master._given_columns(arguments, with_flag, findings) -%}
        {%- do history.update(scd2_master._real_columns(relation, given, findings)) -%}
        {%- do scd2_master._check_types_of_dates(history.dates, findings, meet_a_date='max_date' in arguments) -%}
        {%- if 'max_date' in arguments -%}
            {%- do history.update({'max_date': scd2_master._instant_literal('max_date', arguments.max_date, findings)}) -%}
        {%- endif -%}
        {%- if arguments.exactly_one is defined and arguments.exactly_one is not boolean -%}
            {%- do findings.append(scd2_master._invalid_argument('exactly_one', arguments.exactly_one, 'true or false')) -%}
        {%- endif -%}
        {%- do scd2_master.raise_findings('test ' ~ test ~ ' (' ~ model.unique_id ~ ')', findings) -%}
    {%- endif -%}
    {{ return(history) }}
{%- endmacro %}


{# The column names that the arguments give: a list by argument, or by output column. #}
{% macro _given_columns(arguments, with_flag, findings) -%}
    {%- set given = {} -%}
    {%- for argument, kind in {'unique_key': 'name or list', 'tracked_columns': 'list'}.items() if argument in arguments -%}
        {%- do given.update({argument: scd2_master._given_list(argument, arguments[argument], kind, findings)}) -%}
    {%- endfor -%}
    {%- set renamed = scd2_master._given_output_names(arguments.column_names, findings) -%}
    {%- for name in ['valid_from', 'valid_to'] + (['is_current'] if with_flag else []) -%}
        {%- do given.update({name: [renamed.get(name, name)]}) -%}
    {%- endfor -%}
    {{ return(given) }}
{%- endmacro %}


{% macro _given_list(argument, value, kind, findings) -%}
    {%- if value is undefined or value in [none, '', []] -%}
        {%- do findings.append(scd2_master._finding(
            'missing_' ~ argument, argument ~ ' is not set, or empty', 'Give the argument, with the columns as in the config of the model'
        )) -%}
    {%- elif not scd2_master._fits(value, kind) -%}
        {%- set allowed = 'a list of column names' if kind == 'list' else 'a column name or a list of column names' -%}
        {%- do findings.append(scd2_master._invalid_argument(argument, value, allowed)) -%}
    {%- else -%}
        {{ return(scd2_master._as_list(value)) }}
    {%- endif -%}
    {{ return([]) }}
{%- endmacro %}


{% macro _given_output_names(column_names, findings, argument='column_names') -%}
    {%- set output_columns = ['valid_from', 'valid_to', 'is_current'] -%}
    {%- set renamed = {} if column_names is none else column_names -%}
    {%- if renamed is not mapping
        or renamed.keys() | reject('in', output_columns) | list
        or not scd2_master._fits(renamed.values() | list, 'list') -%}
        {%- set allowed = 'a mapping that gives column names to ' ~ output_columns | join(', ') -%}
        {%- do findings.append(scd2_master._invalid_argument(argument, column_names, allowed)) -%}
        {{ return({}) }}
    {%- endif -%}
    {{ return(renamed) }}
{%- endmacro %}


{% macro _invalid_argument(argument, value, allowed) -%}
    {{ return(scd2_master._finding(
        'invalid_option', argument ~ ' must be ' ~ allowed ~ ', it is ' ~ scd2_master._shown(value), 'Correct the argument'
    )) }}
{%- endmacro %}


{# A date literal where there is no time part: it fits interval columns of either type. #}
{% macro _instant_literal(argument, value, findings) -%}
    {%- set boundary = scd2_master._boundary_option(argument, value, 'timestamp', findings) or '' -%}
    {%- set midnight = ' 00:00:00.000000' -%}
    {%- if boundary.endswith(midnight) -%}
        {{ return(scd2_master.boundary_literal(boundary | replace(midnight, ''), 'date')) }}
    {%- endif -%}
    {{ return(scd2_master.boundary_literal(boundary, 'timestamp')) }}
{%- endmacro %}


{#
    The given names as the relation has them, quoted; `taken` lists them all without quotes. `dates` are the date and the bounds, `instants`
    these as they can be compared with those of `table`'s partner, `bounds` as they can with each other: as they are, where both are of one type.
#}
{% macro _real_columns(relation, given, findings, table=none, renamed_in='column_names') -%}
    {%- set existing = scd2_master._existing_columns(relation) -%}
    {%- set names = scd2_master._real_names(relation, existing, given, findings, renamed_in) -%}
    {%- set dates = scd2_master._typed_dates(relation, existing, names) -%}
    {%- set timezone = scd2_master._timezone(findings) -%}
    {%- set real = {'taken': names.values() | sum(start=[]), 'dates': dates, 'instants': {}} -%}
    {%- for date in dates -%}
        {%- do real.instants.update({date.role: scd2_master._instant(table, date.name, existing, timezone)}) -%}
    {%- endfor -%}
    {%- set of_one_type = dates | map(attribute='type') | unique | list | length == 1 and dates[0].type -%}
    {%- do real.update({'bounds': (
        scd2_master._quoted(dates | map(attribute='name')) if of_one_type else real.instants.values() | list
    )}) -%}
    {%- for role, columns in names.items() -%}
        {%- set quoted = scd2_master._quoted(columns) -%}
        {%- set is_list = role in ['unique_key', 'foreign_key', 'tracked_columns'] -%}
        {%- do real.update({role: quoted if is_list else quoted | first}) -%}
        {%- if role == 'tracked_columns' -%}
            {%- do real.update({'tracked_values': scd2_master._comparable_values(columns, existing)}) -%}
        {%- endif -%}
    {%- endfor -%}
    {#- a foreign key may be a part of the child's business key -#}
    {%- set foreign_key = names.pop('foreign_key', []) if 'unique_key' in names else [] -%}
    {%- do findings.extend(scd2_master._doubled(foreign_key) + scd2_master._doubled(names.values() | sum(start=[]))) -%}
    {{ return(real) }}
{%- endmacro %}


{# The columns as expressions that can be compared, where their types are known. #}
{% macro _comparable_values(names, existing) -%}
    {%- set values = [] -%}
    {%- for name in names -%}
        {%- set type = (scd2_master._match(existing or [], name) or {}).type or '' -%}
        {%- do values.append(scd2_master.comparable(scd2_master.quote_name(name), type)) -%}
    {%- endfor -%}
    {{ return(values) }}
{%- endmacro %}


{% macro _unknown_tested_column(role, name, relation, existing, renamed_in='column_names') -%}
    {%- set names = existing | map(attribute='name') | list -%}
    {%- set near = scd2_master._near_names(name, names) -%}
    {{ return(scd2_master._finding(
        'unknown_column',
        relation ~ ' has no column ' ~ scd2_master._in_role(name, role) ~ '; it has ' ~ names | join(', '),
        ('Did you mean ' ~ near | join(', ') ~ '? ' if near else '')
        ~ ('Name the column for ' ~ role ~ ' in ' ~ renamed_in if role in ['valid_from', 'valid_to', 'is_current']
            else 'Correct ' ~ role)
    )) }}
{%- endmacro %}


{#
    The columns of what a test reads; none where they cannot be known: nothing is stored yet (`dbt compile` before the
    first run), or the model is ephemeral. With a `where` dbt hands the test a subquery, not a relation.
#}
{% macro _existing_columns(relation) -%}
    {%- set tested = scd2_master._tested_relation() if relation is string else relation -%}
    {{ return(none if tested.is_cte else scd2_master.read_columns(load_cached_relation(tested))) }}
{%- endmacro %}


{# The relation that the test at hand stands on: dbt resolves it after what the test's arguments refer to. #}
{% macro _tested_relation() -%}
    {%- if not model.attached_node -%}
        {{ return(source(*model.sources | last)) }}
    {%- endif -%}
    {%- set target = model.refs | last -%}
    {{ return(ref(target.name, v=target.version or none)) }}
{%- endmacro %}


{# The window over a key's versions in the order of time. A null bound counts as without end. #}
{% macro _key_history(history) -%}
    partition by {{ history.unique_key | join(', ') }}
            order by {{ history.bounds[0] }} nulls first, {{ history.bounds[1] }} nulls last
{%- endmacro %}


{# The value of a column in the version before. #}
{% macro _previous(history, column) -%}
    lag({{ column }}) over (
            {{ scd2_master._key_history(history) }}
        )
{%- endmacro %}


{# A name for a column that a test adds: `wish`, with as many `_` as set it apart from the history's own columns. #}
{% macro _added_name(history, wish) -%}
    {%- set candidates = [] -%}
    {%- for length in range(history.taken | length + 1) -%}
        {%- do candidates.append(wish ~ '_' * length) -%}
    {%- endfor -%}
    {{ return(candidates | reject('in', history.taken | map('lower') | list) | first) }}
{%- endmacro %}
