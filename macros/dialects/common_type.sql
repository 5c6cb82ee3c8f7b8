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
        {{ return(scd2_master._duckdb_decimal(types)) }}
    {%- elif families == ['instant', 'instant'] -%}
        {{ return(first if types[0].rank > types[1].rank else second) }}
    {%- endif -%}
    {{ return('VARCHAR' if families == ['text', 'text'] else none) }}
{%- endmacro %}


{# low and high: bits below and above zero; digits: decimal digits before the point; bits: exact bits of a whole number. #}
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
    {%- for name, low, high, digits in [
        ('TINYINT', 7, 7, 3), ('UTINYINT', 0, 8, 3), ('SMALLINT', 15, 15, 5), ('USMALLINT', 0, 16, 5),
        ('INTEGER', 31, 31, 10), ('UINTEGER', 0, 32, 10), ('BIGINT', 63, 63, 19), ('UBIGINT', 0, 64, 20),
        ('HUGEINT', 127, 127, 39), ('UHUGEINT', 0, 128, 39),
    ] -%}
        {%- do integers.update({name: {
            'family': 'integer', 'low': low, 'high': high, 'digits': digits, 'scale': 0, 'bits': high
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
