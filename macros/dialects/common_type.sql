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
    {%- if first == second or second == '"NULL"' -%}
        {{ return(first) }}
    {%- elif first == '"NULL"' -%}
        {{ return(second) }}
    {%- endif -%}
    {%- set types = [scd2_master._duckdb_type(first), scd2_master._duckdb_type(second)] -%}
    {%- set families = types | map(attribute='family') | list -%}
    {%- if families == ['integer', 'integer'] -%}
        {{ return(scd2_master._duckdb_integer(types)) }}
    {%- elif 'other' not in families and 'float' in families -%}
        {{ return(scd2_master._duckdb_float(types)) }}
    {%- elif families | reject('in', ['integer', 'decimal']) | list | length == 0 -%}
        {{ return(scd2_master._duckdb_whole(first, second, types) or scd2_master._duckdb_decimal(types)) }}
    {%- elif families == ['instant', 'instant'] -%}
        {{ return(first if types[0].rank > types[1].rank else second) }}
    {%- endif -%}
    {{ return('VARCHAR' if families == ['text', 'text'] else none) }}
{%- endmacro %}


{#
    low and high: bits below and above zero; digits: decimal digits before the point that a type's values need; whole:
    decimal digits of which an integer type holds every number; bits: exact bits of a whole number.
#}
{% macro _duckdb_type(name) -%}
    {%- set integers = scd2_master._duckdb_integers() -%}
    {%- set instants = ['DATE', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP'] -%}
    {%- set decimal = modules.re.fullmatch('DECIMAL[(]([0-9]+),([0-9]+)[)]', name) -%}
    {%- if name in integers -%}
        {{ return(integers[name]) }}
    {%- elif decimal -%}
        {%- set precision, scale = decimal.groups() | map('int') -%}
        {%- set bits = 99 if scale > 0 or precision > 15 else (53 if precision > 7 else 24) -%}
        {{ return({'family': 'decimal', 'digits': precision - scale, 'scale': scale, 'bits': bits}) }}
    {%- elif name in ['FLOAT', 'DOUBLE'] -%}
        {{ return({'family': 'float', 'bits': 24 if name == 'FLOAT' else 53}) }}
    {%- elif name in instants -%}
        {{ return({'family': 'instant', 'rank': instants.index(name)}) }}
    {%- endif -%}
    {{ return({'family': 'text' if name == 'VARCHAR' or name.startswith('ENUM(') else 'other'}) }}
{%- endmacro %}


{# From narrow to wide. #}
{% macro _duckdb_integers() -%}
    {%- set integers = {} -%}
    {%- for name, low, high, digits, whole in [
        ('TINYINT', 7, 7, 3, 2), ('UTINYINT', 0, 8, 3, 0), ('SMALLINT', 15, 15, 5, 4), ('USMALLINT', 0, 16, 5, 0),
        ('INTEGER', 31, 31, 10, 9), ('UINTEGER', 0, 32, 10, 0), ('BIGINT', 63, 63, 19, 18), ('UBIGINT', 0, 64, 20, 0),
        ('HUGEINT', 127, 127, 39, 38), ('UHUGEINT', 0, 128, 39, 0),
    ] -%}
        {%- do integers.update({name: {
            'family': 'integer', 'low': low, 'high': high, 'digits': digits, 'whole': whole, 'scale': 0, 'bits': high
        }}) -%}
    {%- endfor -%}
    {{ return(integers) }}
{%- endmacro %}


{% macro _duckdb_integer(types) -%}
    {%- set low = types | map(attribute='low') | max -%}
    {%- set high = types | map(attribute='high') | max -%}
    {%- for name, candidate in scd2_master._duckdb_integers().items() if candidate.low >= low and candidate.high >= high -%}
        {{ return(name) }}
    {%- endfor -%}
    {{ return(none) }}
{%- endmacro %}


{# An integer type beside a decimal without a fraction, where it holds that one's values; else none. #}
{% macro _duckdb_whole(first, second, types) -%}
    {%- for name, integer, decimal in [(first, types[0], types[1]), (second, types[1], types[0])]
            if integer.family == 'integer' and decimal.family == 'decimal' and decimal.scale == 0
            and decimal.digits <= integer.whole -%}
        {{ return(name) }}
    {%- endfor -%}
    {{ return(none) }}
{%- endmacro %}


{% macro _duckdb_float(types) -%}
    {%- if types | selectattr('bits', 'undefined') | list -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set bits = types | map(attribute='bits') | max -%}
    {{ return('FLOAT' if bits <= 24 else ('DOUBLE' if bits <= 53 else none)) }}
{%- endmacro %}


{% macro _duckdb_decimal(types) -%}
    {%- set digits = types | map(attribute='digits') | max -%}
    {%- set scale = types | map(attribute='scale') | max -%}
    {{ return('DECIMAL(' ~ (digits + scale) ~ ',' ~ scale ~ ')' if digits + scale <= 38 else none) }}
{%- endmacro %}
