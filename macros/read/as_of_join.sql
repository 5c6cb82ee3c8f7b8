{#
    A query: all facts, each with the dimension's values that were valid at its date. A key's versions do not overlap,
    so a fact finds one at most. Rule: SPEC section 8. Why a range join: docs/decisions/0010-as-of-join.md.
#}
{% macro as_of_join(fact, dimension, key, as_of, columns=none, prefix='', unmatched='null', column_names={}) -%}
    {%- if not execute -%}
        {{ return('select * from ' ~ fact) }}
    {%- endif -%}
    {%- set join = scd2_master._as_of_join_parts({
        'fact': fact, 'dimension': dimension, 'key': key, 'as_of': as_of, 'columns': columns, 'prefix': prefix,
        'unmatched': unmatched, 'column_names': column_names,
    }) -%}
    {%- set first = unmatched == 'first' -%}
    {%- if first -%}
with {{ join.numbered_versions }} as (
    select
        {{ join.read | join(',\n        ') }},
        row_number() over (
            partition by {{ join.key | join(', ') }}
            order by {{ join.order }}
        ) as {{ join.version_number }}
    from {{ join.dimension }} as versions
)

{% endif -%}
select
    {{ (['facts.*'] + join.selected) | join(',\n    ') }}
from {{ join.facts }} as facts
{{ 'inner' if unmatched == 'drop' else 'left' }} join {{ join.numbered_versions if first else join.dimension }} as versions
    on
        {{ join.same_key | join('\n        and ') }}
        {%- if first %}
        and ({{ join.date }} >= {{ join.valid_from }} or versions.{{ join.version_number }} = 1)
        {%- else %}
        and {{ join.date }} >= {{ join.valid_from }}
        {%- endif %}
        and {{ join.date }} < {{ join.valid_to }}
{%- endmacro %}
