{# The value of a column on an inserted version. #}
{% macro _inserted_value(scd2, column) -%}
    {{ return({
        'valid_from': 'changes.scd2_from',
        'valid_to': 'changes.scd2_to',
        'is_current': scd2_master._flag(column, scd2_master._ends_at_max_date(scd2)),
    }.get(column.role, 'changes.' ~ column.alias)) }}
{%- endmacro %}


{# Whether a restatement writes the column: the key, valid_from and with them the version key stay. #}
{% macro _is_restated(column) -%}
    {{ return(column.role == 'tracked_hash' or (column.source is not none and column.role not in ['key', 'type1'])) }}
{%- endmacro %}


{# Whether the version that a change writes is open. #}
{% macro _ends_at_max_date(scd2) -%}
    {{ return('coalesce(changes.scd2_to = ' ~ scd2_master.boundary_literal(scd2.max_date, scd2.validity_type) ~ ', false)') }}
{%- endmacro %}


{# A condition as the flag's type. #}
{% macro _flag(column, condition) -%}
    {%- if column.type | lower in ['boolean', 'bool'] -%}
        {{ return(condition) }}
    {%- endif -%}
    {{ return('cast(case when ' ~ condition ~ ' then 1 else 0 end as ' ~ column.type ~ ')') }}
{%- endmacro %}
