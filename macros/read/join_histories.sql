{#
    A query: two histories as one, a row per interval in which neither changed. Each version of the left is cut by the versions of its
    key on the right; for a left join these are completed to the whole of time first. Rule: SPEC section 8.
#}
{% macro join_histories(
    left, right, key, join_type='inner', left_columns=none, right_columns=none, prefix='', column_names={}
) -%}
    {%- if not execute -%}
        {{ return('select * from ' ~ scd2_master._from_item(left)) }}
    {%- endif -%}
    {%- set join = scd2_master._join_of_histories({
        'left': left, 'right': right, 'key': key, 'join_type': join_type, 'left_columns': left_columns,
        'right_columns': right_columns, 'prefix': prefix, 'column_names': column_names,
    }) -%}
    {%- set from, to, flag = join.left.interval -%}
    {%- set starts_at, ends_at = scd2_master._of(join.rights, ['starts_at', 'ends_at']) -%}
with {{ join.versions }} as (
    {{ scd2_master._right_versions(join) }}
)
{%- if join.with_gaps %},

{{ join.rights }} as (
    {{ scd2_master._whole_time(join) }}
)
{%- endif %}

select
    {{ join.selected | join(',\n    ') }},
    case when {{ starts_at }} > {{ from }} then {{ starts_at }} else {{ from }} end as {{ join.output[0] }},
    case when {{ ends_at }} < {{ to }} then {{ ends_at }} else {{ to }} end as {{ join.output[1] }},
    coalesce(
        {{ scd2_master._is_open(join, to, flag) | join('\n        and ') }},
        false
    ) as {{ join.output[2] }}
from {{ scd2_master._from_item(left) }} as lefts
{{ join_type }} join {{ join.rights }}
    on
        {{ scd2_master._equal(
            scd2_master._of('lefts', join.left.key), scd2_master._of(join.rights, join.key)
        ) | join('\n        and ') }}
        and {{ scd2_master._meets(join, to, '>', starts_at) }}
        and {{ scd2_master._meets(join, from, '<', ends_at) }}
where {{ from }} < {{ to }}
{%- endmacro %}
