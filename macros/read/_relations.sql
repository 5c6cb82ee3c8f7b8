{# Who speaks in a message: the macro, and the node that calls it, where there is one. #}
{% macro _reader(macro) -%}
    {{ return(macro ~ (' (' ~ model.unique_id ~ ')' if model else '')) }}
{%- endmacro %}


{% macro _check_readable(argument, relation, findings) -%}
    {%- if relation.identifier is not defined and not scd2_master._fits(relation, 'name') -%}
        {%- do findings.append(scd2_master._invalid_argument(
            argument, relation, 'a relation, the name of a CTE, or a query'
        )) -%}
    {%- endif -%}
{%- endmacro %}


{#
    What stands between `from` and an alias: a relation or the name of a CTE as it is, a query in parentheses. With --empty and
    --sample a relation may have an alias of its own.
#}
{% macro _from_item(relation) -%}
    {%- if scd2_master._is_query(relation) -%}
        {{ return('(\n' ~ scd2_master._without_terminator(relation) ~ '\n)') }}
    {%- elif (relation.limit is defined and relation.limit is not none) or relation.event_time_filter -%}
        {{ return('(select * from ' ~ relation ~ ')') }}
    {%- endif -%}
    {{ return(relation) }}
{%- endmacro %}


{# A text that begins with select or with, after comments. #}
{% macro _is_query(relation) -%}
    {%- set begins = '(\\s|--[^\\n]*\\n|/[*].*?[*]/)*(select|with)\\b' -%}
    {{ return(relation is string and modules.re.match(begins, relation, modules.re.IGNORECASE + modules.re.DOTALL) is not none) }}
{%- endmacro %}


{#
    The columns of a relation as read_columns gives them; none where they cannot be known: of a text, of an ephemeral
    model, or where nothing is stored yet. In a unit test a CTE that has the columns of the stored relation stands in
    for each input. dbt does not say where that relation is, so it is looked for beside the tested model.
#}
{% macro _known_columns(relation) -%}
    {%- set stands_in = relation.is_cte and model and model.resource_type == 'unit_test' -%}
    {%- if relation is string or (relation.is_cte and not stands_in) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set place = model if stands_in else relation -%}
    {%- set identifier = modules.re.sub('^__dbt__cte__', '', relation.identifier) if stands_in else relation.identifier -%}
    {{ return(scd2_master.read_columns(scd2_master.find_relation(place.database, place.schema, identifier))) }}
{%- endmacro %}


{# The interval columns by role; `renamed` as _given_output_names returns it. #}
{% macro _interval_columns(renamed) -%}
    {{ return({
        'valid_from': [renamed.get('valid_from', 'valid_from')], 'valid_to': [renamed.get('valid_to', 'valid_to')]
    }) }}
{%- endmacro %}


{# The given names as the relation has them, by role. Where its columns are not known they stand as they are given. #}
{% macro _real_names(relation, existing, given, findings, renamed_in='column_names') -%}
    {%- set real = {} -%}
    {%- for role, names in given.items() -%}
        {%- do real.update({role: []}) -%}
        {%- for name in names -%}
            {%- set column = {'name': scd2_master.unquoted_name(name)} if existing is none else scd2_master._match(existing, name) -%}
            {%- if column is none -%}
                {%- do findings.append(scd2_master._unknown_tested_column(role, name, relation, existing, renamed_in)) -%}
            {%- else -%}
                {%- do real[role].append(column.name) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(real) }}
{%- endmacro %}


{# The date or bound `name` of `table`, whose columns are `columns`, as it can be compared with others: see instant_sql. #}
{% macro _instant(table, name, columns, timezone) -%}
    {%- set column = scd2_master._match(columns or [], name) or {} -%}
    {%- set qualified = (table ~ '.' if table else '') ~ scd2_master.quote_name(name) -%}
    {{ return(scd2_master.instant_sql(qualified, column.type or none, timezone)) }}
{%- endmacro %}


{# The date and the bounds among `names` (by role), with `type` none where it is not known. #}
{% macro _typed_dates(relation, existing, names) -%}
    {%- set dates = [] -%}
    {%- for role in ['as_of', 'valid_from', 'valid_to'] if names[role] -%}
        {%- set name = names[role][0] -%}
        {%- set type = (scd2_master._match(existing or [], name) or {}).type or none -%}
        {%- do dates.append({'relation': relation, 'role': role, 'name': name, 'type': type}) -%}
    {%- endfor -%}
    {{ return(dates) }}
{%- endmacro %}


{#
    effective_date_type: what is known to hold neither dates nor timestamps. Bounds that `meet_a_date` nowhere may be of any one type, as they
    compare with each other.
#}
{% macro _check_types_of_dates(dates, findings, meet_a_date=true) -%}
    {%- set known = dates | selectattr('type') | list -%}
    {%- set compare = not meet_a_date and known | map(attribute='type') | unique | list | length < 2 -%}
    {%- for date in known if not compare and not scd2_master.effective_date_sql(date.name, date.type, 'timestamp', 'UTC') -%}
        {%- do findings.append(scd2_master._finding(
            'effective_date_type',
            'column ' ~ scd2_master._in_role(date.name, date.role) ~ ' of ' ~ date.relation ~ ' is of type ' ~ date.type
            ~ ', which is not a date or a timestamp',
            'Name another column, or cast it'
        )) -%}
    {%- endfor -%}
{%- endmacro %}


{# A column as a message names it, with the argument or role that it was named for. #}
{% macro _in_role(name, role) -%}
    {{ return(name ~ ('' if role | lower == name | lower else ' (' ~ role ~ ')')) }}
{%- endmacro %}


{# Names quoted for SQL, each behind `prefix`. #}
{% macro _quoted(names, prefix='') -%}
    {%- set quoted = [] -%}
    {%- for name in names -%}
        {%- do quoted.append(prefix ~ scd2_master.quote_name(name)) -%}
    {%- endfor -%}
    {{ return(quoted) }}
{%- endmacro %}
