{#
    What as_of_join writes down, from its arguments by name: real columns, quoted, and the SQL that they make. All that
    is wrong is raised in one message.
#}
{% macro _as_of_join_parts(arguments) -%}
    {%- set findings = [] -%}
    {%- do scd2_master._check_as_of_join(arguments, findings) -%}
    {%- set fact_columns = scd2_master._known_columns(arguments.fact) -%}
    {%- set keys = scd2_master._key_sides('key', arguments.key, findings) -%}
    {%- set facts = scd2_master._real_names(arguments.fact, fact_columns, {
        'key': keys.left, 'as_of': [arguments.as_of] if scd2_master._fits(arguments.as_of, 'name') else []
    }, findings) -%}
    {%- set version_columns = scd2_master._known_columns(arguments.dimension) -%}
    {%- set versions = scd2_master._dimension_columns(arguments, version_columns, keys.right, findings) -%}
    {%- do findings.extend(scd2_master._collisions(fact_columns, versions['columns'], arguments.prefix)) -%}
    {%- do scd2_master._check_types_of_dates(
        scd2_master._typed_dates(arguments.fact, fact_columns, facts)
        + scd2_master._typed_dates(arguments.dimension, version_columns, versions), findings
    ) -%}
    {%- set timezone = scd2_master._timezone(findings) -%}
    {%- do scd2_master.raise_findings(scd2_master._reader('as_of_join'), findings) -%}
    {%- set read = versions.values() | sum(start=[]) | unique(case_sensitive=true) | list -%}
    {{ return({
        'facts': scd2_master._from_item(arguments.fact),
        'dimension': scd2_master._from_item(arguments.dimension),
        'read': scd2_master._quoted(read, 'versions.'),
        'key': scd2_master._quoted(versions.key, 'versions.'),
        'order': scd2_master._quoted(versions.valid_from, 'versions.') | first,
        'valid_from': scd2_master._instant('versions', versions.valid_from[0], version_columns, timezone),
        'valid_to': scd2_master._instant('versions', versions.valid_to[0], version_columns, timezone),
        'version_number': scd2_master._added_name({'taken': read}, 'version_number'),
        'numbered_versions': scd2_master._free_name('numbered_versions', arguments.fact ~ ' ' ~ arguments.dimension),
        'selected': scd2_master._under_prefix(versions['columns'], arguments.prefix),
        'same_key': scd2_master._equal(
            scd2_master._quoted(facts.key, 'facts.'), scd2_master._quoted(versions.key, 'versions.')
        ),
        'date': scd2_master._instant('facts', facts.as_of[0], fact_columns, timezone),
    }) }}
{%- endmacro %}


{# A name for a CTE that no text may mean: `wish`, set apart from every word in it. #}
{% macro _free_name(wish, text) -%}
    {{ return(scd2_master._added_name({'taken': modules.re.findall('[a-z_]+', text | lower)}, wish)) }}
{%- endmacro %}


{% macro _check_as_of_join(arguments, findings) -%}
    {%- do scd2_master._check_readable('fact', arguments.fact, findings) -%}
    {%- do scd2_master._check_readable('dimension', arguments.dimension, findings) -%}
    {%- for argument, fits, allowed in [
        ('as_of', scd2_master._fits(arguments.as_of, 'name'), 'the name of a column of the facts'),
        ('columns', scd2_master._is_column_list(arguments['columns']), 'a list of column names'),
        ('prefix', arguments.prefix is string, 'a text'),
        ('unmatched', arguments.unmatched in ['null', 'drop', 'first'], 'one of null, drop, first'),
    ] if not fits -%}
        {%- do findings.append(scd2_master._invalid_argument(argument, arguments[argument], allowed)) -%}
    {%- endfor -%}
{%- endmacro %}


{% macro _is_column_list(columns) -%}
    {{ return(columns is none or scd2_master._fits(columns, 'list')) }}
{%- endmacro %}


{#
    The dimension's real names by role. Where `columns` is left out they are all but the key's, the interval's and the
    flag, which say when a version held and not what it says.
#}
{% macro _dimension_columns(arguments, existing, key, findings) -%}
    {%- set renamed = scd2_master._given_output_names(arguments.column_names, findings) -%}
    {%- set asked = arguments['columns'] if scd2_master._is_column_list(arguments['columns']) else [] -%}
    {%- set given = dict({'key': key, 'columns': asked or []}, **scd2_master._interval_columns(renamed)) -%}
    {%- set names = scd2_master._real_names(arguments.dimension, existing, given, findings) -%}
    {%- if asked is none and existing is none -%}
        {%- do findings.append(scd2_master._finding(
            'invalid_option',
            'columns is left out, and ' ~ arguments.dimension ~ ' is no stored table or view that could be asked for them',
            'List the columns, or build the dimension first'
        )) -%}
    {%- elif asked is none and not findings -%}
        {%- set flag = scd2_master._match(existing, renamed.get('is_current', 'is_current')) or {} -%}
        {%- set others = names.key + names.valid_from + names.valid_to + [flag.name] -%}
        {%- do names.update({'columns': existing | map(attribute='name') | reject('in', others) | list}) -%}
    {%- endif -%}
    {{ return(names) }}
{%- endmacro %}


{# reserved_column: the output would have two columns of one name. What is not known of the facts is not checked. #}
{% macro _collisions(fact_columns, columns, prefix) -%}
    {%- set doubled = scd2_master._doubled_outputs(
        (fact_columns or []) | map(attribute='name') | list, scd2_master._with_prefix(columns, prefix)
    ) -%}
    {{ return([] if not doubled else [scd2_master._finding(
        'reserved_column',
        'the result would have more than one column named ' ~ doubled | join(', ') ~ ', from the facts and the dimension',
        "Set them apart with prefix, as in prefix='customer_', or list other columns"
    )]) }}
{%- endmacro %}


{# The dimension's columns as a select list, renamed where there is a prefix. #}
{% macro _under_prefix(columns, prefix) -%}
    {%- set selected = [] -%}
    {%- for name in columns -%}
        {%- set alias = ' as ' ~ scd2_master.quote_name(prefix ~ name) if prefix else '' -%}
        {%- do selected.append('versions.' ~ scd2_master.quote_name(name) ~ alias) -%}
    {%- endfor -%}
    {{ return(selected) }}
{%- endmacro %}
