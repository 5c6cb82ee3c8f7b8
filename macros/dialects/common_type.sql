{#
    The narrowest type that holds every value of two types exactly; none where there is none. Rule: SPEC section 6.
    Where an engine has no rules of its own, only equal types go together.
#}
{% macro common_type(first, second) -%}
    {{ return(adapter.dispatch('common_type', 'scd2_master')(first, second)) }}
{%- endmacro %}


{% macro default__common_type(first, second) -%}
    {{ return(first if first == second else none) }}
{%- endmacro %}


{% macro duckdb__common_type(first, second) -%}
    {%- if '"NULL"' in [first, second] -%}
        {{ return(second if first == '"NULL"' else first) }}
    {%- endif -%}
    {{ return(scd2_master._exact_type(first, second, scd2_master._duckdb_traits, {
        'integers': scd2_master._duckdb_integers(), 'floats': {'FLOAT': 24, 'DOUBLE': 53}, 'decimal': 'DECIMAL',
        'precision': 38, 'text': 'VARCHAR',
    })) }}
{%- endmacro %}


{% macro postgres__common_type(first, second) -%}
    {{ return(scd2_master._exact_type(first, second, scd2_master._postgres_traits, {
        'integers': scd2_master._postgres_integers(), 'floats': {'real': 24, 'double precision': 53}, 'decimal': 'numeric',
        'precision': 1000, 'text': 'character varying({length})',
    })) }}
{%- endmacro %}


{# The same for the types of one engine: `traits` is its macro that tells what a type can hold, `names` are its types. #}
{% macro _exact_type(first, second, traits, names) -%}
    {%- if first == second -%}
        {{ return(first) }}
    {%- endif -%}
    {%- set types = [traits(first), traits(second)] -%}
    {%- set families = types | map(attribute='family') | list -%}
    {%- if families == ['integer', 'integer'] -%}
        {{ return(scd2_master._exact_integer(types, names.integers)) }}
    {%- elif 'other' not in families and 'float' in families -%}
        {{ return(scd2_master._exact_float(types, names.floats)) }}
    {%- elif families | reject('in', ['integer', 'decimal']) | list | length == 0 -%}
        {{ return(scd2_master._exact_whole(first, second, types) or scd2_master._exact_decimal(types, names)) }}
    {%- elif families == ['instant', 'instant'] -%}
        {{ return(first if types[0].rank >= types[1].rank else second) }}
    {%- elif families == ['text', 'text'] -%}
        {{ return(scd2_master._exact_text(first, second, types, names.text)) }}
    {%- endif -%}
    {{ return(none) }}
{%- endmacro %}


{#
    low and high: bits below and above zero; digits: decimal digits before the point that a type's values need; whole:
    decimal digits of which an integer type holds every number; bits: exact bits of a whole number; length: of a text, where it is limited.
    A decimal without `digits` has no limits.
#}
{% macro _duckdb_traits(name) -%}
    {%- set integers = scd2_master._duckdb_integers() -%}
    {%- set instants = ['DATE', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP'] -%}
    {%- set decimal = modules.re.fullmatch('DECIMAL[(]([0-9]+),([0-9]+)[)]', name) -%}
    {%- if name in integers -%}
        {{ return(integers[name]) }}
    {%- elif decimal -%}
        {{ return(scd2_master._decimal_traits(*decimal.groups() | map('int'))) }}
    {%- elif name in ['FLOAT', 'DOUBLE'] -%}
        {{ return({'family': 'float', 'bits': 24 if name == 'FLOAT' else 53}) }}
    {%- elif name in instants -%}
        {{ return({'family': 'instant', 'rank': instants.index(name)}) }}
    {%- elif name.startswith('ENUM(') -%}
        {{ return({'family': 'text', 'length': 0}) }}
    {%- endif -%}
    {{ return({'family': 'text' if name == 'VARCHAR' else 'other'}) }}
{%- endmacro %}


{# A text of fixed length is compared without the spaces at its end, so it goes with no other text. #}
{% macro _postgres_traits(name) -%}
    {%- set integers = scd2_master._postgres_integers() -%}
    {%- set decimal = modules.re.fullmatch('numeric[(]([0-9]+),(-?[0-9]+)[)]', name) -%}
    {%- set instant = modules.re.fullmatch('date|timestamp([(]([0-6])[)])? without time zone', name) -%}
    {%- set text = modules.re.fullmatch('text|character varying([(]([0-9]+)[)])?', name) -%}
    {%- if name in integers -%}
        {{ return(integers[name]) }}
    {%- elif decimal -%}
        {{ return(scd2_master._decimal_traits(*decimal.groups() | map('int'))) }}
    {%- elif name in ['real', 'double precision'] -%}
        {{ return({'family': 'float', 'bits': 24 if name == 'real' else 53}) }}
    {%- elif instant -%}
        {{ return({'family': 'instant', 'rank': -1 if name == 'date' else (instant.group(2) or 6) | int}) }}
    {%- elif text -%}
        {{ return({'family': 'text', 'length': text.group(2) | int} if text.group(2) else {'family': 'text'}) }}
    {%- endif -%}
    {{ return({'family': 'decimal' if name == 'numeric' else 'other'}) }}
{%- endmacro %}


{% macro _decimal_traits(precision, scale) -%}
    {%- set bits = 99 if scale > 0 or precision > 15 else (53 if precision > 7 else 24) -%}
    {{ return({'family': 'decimal', 'digits': precision - scale, 'scale': [scale, 0] | max, 'bits': bits}) }}
{%- endmacro %}


{% macro _duckdb_integers() -%}
    {{ return(scd2_master._integer_traits([
        ('TINYINT', 7, 7, 3, 2), ('UTINYINT', 0, 8, 3, 0), ('SMALLINT', 15, 15, 5, 4), ('USMALLINT', 0, 16, 5, 0),
        ('INTEGER', 31, 31, 10, 9), ('UINTEGER', 0, 32, 10, 0), ('BIGINT', 63, 63, 19, 18), ('UBIGINT', 0, 64, 20, 0),
        ('HUGEINT', 127, 127, 39, 38), ('UHUGEINT', 0, 128, 39, 0),
    ])) }}
{%- endmacro %}


{% macro _postgres_integers() -%}
    {{ return(scd2_master._integer_traits([
        ('smallint', 15, 15, 5, 4), ('integer', 31, 31, 10, 9), ('bigint', 63, 63, 19, 18)
    ])) }}
{%- endmacro %}


{# Name, low, high, digits and whole of each integer type, from narrow to wide. #}
{% macro _integer_traits(types) -%}
    {%- set integers = {} -%}
    {%- for name, low, high, digits, whole in types -%}
        {%- do integers.update({name: {
            'family': 'integer', 'low': low, 'high': high, 'digits': digits, 'whole': whole, 'scale': 0, 'bits': high
        }}) -%}
    {%- endfor -%}
    {{ return(integers) }}
{%- endmacro %}


{% macro _exact_integer(types, integers) -%}
    {%- set low = types | map(attribute='low') | max -%}
    {%- set high = types | map(attribute='high') | max -%}
    {%- for name, candidate in integers.items() if candidate.low >= low and candidate.high >= high -%}
        {{ return(name) }}
    {%- endfor -%}
    {{ return(none) }}
{%- endmacro %}


{# An integer type beside a decimal without a fraction, where it holds that one's values; else none. #}
{% macro _exact_whole(first, second, types) -%}
    {%- for name, integer, decimal in [(first, types[0], types[1]), (second, types[1], types[0])]
            if integer.family == 'integer' and decimal.family == 'decimal' and decimal.scale == 0
            and decimal.digits <= integer.whole -%}
        {{ return(name) }}
    {%- endfor -%}
    {{ return(none) }}
{%- endmacro %}


{% macro _exact_float(types, floats) -%}
    {%- if types | selectattr('bits', 'undefined') | list -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set bits = types | map(attribute='bits') | max -%}
    {%- for name, exact in floats.items() if exact >= bits -%}
        {{ return(name) }}
    {%- endfor -%}
    {{ return(none) }}
{%- endmacro %}


{% macro _exact_decimal(types, names) -%}
    {%- if types | selectattr('digits', 'undefined') | list -%}
        {{ return(names.decimal) }}
    {%- endif -%}
    {%- set digits = types | map(attribute='digits') | max -%}
    {%- set scale = types | map(attribute='scale') | max -%}
    {{ return(
        names.decimal ~ '(' ~ (digits + scale) ~ ',' ~ scale ~ ')' if digits + scale <= names.precision else none
    ) }}
{%- endmacro %}


{# A type without a limit, where one of the two is, else one for the longer of the two. #}
{% macro _exact_text(first, second, types, name) -%}
    {%- for candidate, type in [(first, types[0]), (second, types[1])] if type.length is undefined -%}
        {{ return(candidate) }}
    {%- endfor -%}
    {{ return(name | replace('{length}', types | map(attribute='length') | max | string)) }}
{%- endmacro %}
