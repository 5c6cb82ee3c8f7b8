{# Every option of a history, SPEC section 2: what fits it, and its default. #}
{% macro _option_specs() -%}
    {{ return({
        'unique_key': {'fits': 'name or list'},
        'tracked_columns': {'fits': "list or 'all'"},
        'carried_columns': {'fits': 'list', 'default': []},
        'effective_date': {'fits': 'date'},
        'effective_date_column': {'fits': 'name'},
        'max_date': {'fits': 'date', 'default': '9999-12-31'},
        'close_on_absence': {'fits': 'boolean', 'default': false},
        'prior_relation': {'fits': 'name'},
        'scd2_strategy': {'choices': ['rebuild', 'merge'], 'default': 'rebuild'},
        'input_kind': {'choices': ['snapshot', 'snapshot_series', 'change_log'], 'default': 'snapshot'},
        'deleted_when': {'fits': 'name'},
        'validity_type': {'choices': ['date', 'timestamp'], 'default': 'date'},
        'scd2_column_names': {'fits': 'mapping', 'default': {}},
        'current_flag_type': {'choices': ['boolean', 'integer'], 'default': 'boolean'},
        'version_key_column': {'fits': 'name'},
        'tracked_hash_column': {'fits': 'name'},
        'entity_name': {'fits': 'name'},
        'type0_columns': {'fits': 'list', 'default': []},
        'type1_columns': {'fits': 'list', 'default': []},
        'initial_valid_from': {'fits': 'date'},
        'coalesce_versions': {'fits': 'boolean', 'default': false},
        'max_closed_fraction': {'fits': 'fraction', 'default': 1.0},
        'allow_empty_source': {'fits': 'boolean', 'default': false},
        'on_schema_change': {'choices': ['append_new_columns', 'fail', 'ignore'], 'default': 'append_new_columns'},
    }) }}
{%- endmacro %}


{#
    Every option's value, or its default where it is not set or wrong (`invalid` lists the wrong ones, so that one
    mistake is not reported twice).
#}
{% macro _read_options(node, specs, findings) -%}
    {%- set options = {'invalid': []} -%}
    {%- for key, spec in specs.items() -%}
        {%- set value = scd2_master._configured(node, key, findings) -%}
        {%- set missing = value in [none, '', []] and key in ['unique_key', 'tracked_columns'] -%}
        {%- set problem = scd2_master._option_problem(value, spec) if value is not none and not missing -%}
        {%- if missing -%}
            {%- do findings.append(scd2_master._missing_option(key)) -%}
        {%- elif problem -%}
            {%- do findings.append(scd2_master._invalid_option(key, value, problem)) -%}
            {%- do options.invalid.append(key) -%}
        {%- endif -%}
        {%- do options.update({key: spec.get('default') if value is none or missing or problem else value}) -%}
    {%- endfor -%}
    {{ return(options) }}
{%- endmacro %}


{# dbt accepts any key in a config, so what is nearly an option's name is most likely a misspelt one: warn of it. #}
{% macro _warn_of_misspelt_options(node, options) -%}
    {%- for key in node.config | list + (node.config.meta or {}) | list if key is string and key not in options -%}
        {%- for option in scd2_master._near_names(key, options, 0.75) -%}
            {%- do exceptions.warn(
                'scd2_master ' ~ node.unique_id ~ ': the config has ' ~ key ~ ', which is not an option. Did you mean '
                ~ option ~ '?'
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
{%- endmacro %}


{# The value set for a key at top level or under meta; none where it is set in neither. #}
{% macro _configured(node, key, findings) -%}
    {%- set from_config = node.config.get(key) -%}
    {%- if key == 'on_schema_change' and key not in node.unrendered_config -%}
        {#- dbt itself puts a default for this key into every node -#}
        {%- set from_config = none -%}
    {%- endif -%}
    {%- set from_meta = (node.config.meta or {}).get(key) -%}
    {%- if from_config is not none and from_meta is not none and from_config != from_meta -%}
        {%- do findings.append(scd2_master._finding(
            'conflicting_config',
            key ~ ' is ' ~ scd2_master._shown(from_config) ~ ' in config and ' ~ scd2_master._shown(from_meta) ~ ' in meta',
            'Set it in one place'
        )) -%}
    {%- endif -%}
    {{ return(from_meta if from_config is none else from_config) }}
{%- endmacro %}


{# What is wrong with a value, as the end of a sentence; none where it is fine. #}
{% macro _option_problem(value, spec) -%}
    {%- if spec.choices and value not in spec.choices -%}
        {{ return('it must be one of ' ~ spec.choices | join(', ')) }}
    {%- elif spec.fits and not scd2_master._fits(value, spec.fits) -%}
        {{ return('it must be ' ~ {
            'name': 'a text that is not empty', 'name or list': 'a column name or a list of column names',
            'list': 'a list of column names', "list or 'all'": "a list of column names, or 'all'",
            'date': 'a date in quotes', 'boolean': 'true or false', 'fraction': 'a number from 0 to 1',
            'mapping': 'a mapping', 'count': 'a whole number from 1 on',
        }[spec.fits]) }}
    {%- endif -%}
    {{ return(none) }}
{%- endmacro %}


{% macro _fits(value, kind) -%}
    {%- set is_list = scd2_master._is_list(value) -%}
    {%- set is_name = value is string and value | trim | length > 0 -%}
    {%- set is_names = is_list and value | select('string') | map('trim') | select | list | length == value | list | length -%}
    {{ return({
        'name': is_name,
        'name or list': is_name or is_names,
        'list': is_names,
        "list or 'all'": value == 'all' or is_names,
        'date': value is string or value.isoformat is defined,
        'boolean': value is boolean,
        'fraction': value is number and value is not boolean and 0 <= value <= 1,
        'mapping': value is mapping,
        'count': value is integer and value > 0,
    }[kind]) }}
{%- endmacro %}


{% macro _is_list(value) -%}
    {{ return(value is iterable and value is not string and value is not mapping) }}
{%- endmacro %}


{% macro _as_list(value) -%}
    {{ return([] if value is none else (value | list if scd2_master._is_list(value) else [value])) }}
{%- endmacro %}


{# A configured value as it reads in a message. #}
{% macro _shown(value) -%}
    {{ return("'" ~ value ~ "'" if value is string else value | string) }}
{%- endmacro %}


{% macro _invalid_option(key, value, problem) -%}
    {%- set hint = ' (a {token} without quotes is a mapping in YAML: put the text in quotes)'
        if value is mapping and key != 'scd2_column_names' -%}
    {{ return(scd2_master._finding(
        'invalid_option', key ~ ' is ' ~ scd2_master._shown(value) ~ ', ' ~ problem ~ (hint or ''), 'Correct the option, or remove it'
    )) }}
{%- endmacro %}


{% macro _missing_option(key) -%}
    {{ return(scd2_master._finding(
        'missing_' ~ key, key ~ ' is not set, or empty',
        'Name the business key' if key == 'unique_key' else "List the columns whose change opens a version, or write 'all'"
    )) }}
{%- endmacro %}
