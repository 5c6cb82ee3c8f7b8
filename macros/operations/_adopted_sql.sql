{#
    The rows of a snapshot with their columns under aliases, and

    - scd2_from, scd2_to: the interval in the model's validity_type; an open version ends at max date;
    - scd2_is_cut: that loses a part of a boundary;
    - scd2_fate: 'version', or why the row is none: 'deleted', 'empty' (it ends where it begins), 'within a day' (it does so in
      whole days alone).
#}
{% macro _snapshot_sql(adoption) -%}
    {%- set meta = adoption.meta -%}
    {%- set stored_from = 'src.' ~ scd2_master.quote_name(meta.dbt_valid_from.name) -%}
    {%- set stored_to = 'src.' ~ scd2_master.quote_name(meta.dbt_valid_to.name) -%}
    {%- set start = scd2_master._snapshot_boundary(adoption, meta.dbt_valid_from, stored_from) -%}
    {%- set end = scd2_master._snapshot_boundary(adoption, meta.dbt_valid_to, stored_to) -%}
    {%- set max_date = scd2_master.boundary_literal(adoption.scd2.max_date, adoption.scd2.validity_type) -%}
with snapshot_rows as (
    select
        {{ scd2_master._under_aliases(adoption.layout.data, 'incoming') }},
        {{ start.value }} as scd2_from,
        {{ end.value }} as scd2_end,
        (
            {{ stored_to }} is null
            or coalesce({{ end.value }} = {{ max_date }}, false)
            {%- if adoption.sentinel %}
            or coalesce({{ stored_to }} = ({{ adoption.sentinel }}), false)
            {%- endif %}
        ) as scd2_is_open,
        coalesce({{ start.is_cut }}, false) as scd2_start_is_cut,
        coalesce({{ end.is_cut }}, false) as scd2_end_is_cut,
        coalesce({{ stored_from }} = {{ stored_to }}, false) as scd2_is_empty,
        {% if meta.dbt_is_deleted -%}
        lower({{ scd2_master.as_text('src.' ~ scd2_master.quote_name(meta.dbt_is_deleted.name)) }}) = 'true' as scd2_is_deleted
        {%- else -%}
        false as scd2_is_deleted
        {%- endif %}
    from {{ adoption.snapshot }} as src
)

select
    {{ scd2_master._aliases(adoption.layout.data, 'snapshot_rows', ',\n    ') }},
    snapshot_rows.scd2_from,
    case when snapshot_rows.scd2_is_open then {{ max_date }} else snapshot_rows.scd2_end end as scd2_to,
    snapshot_rows.scd2_start_is_cut or (snapshot_rows.scd2_end_is_cut and not snapshot_rows.scd2_is_open) as scd2_is_cut,
    case
        when snapshot_rows.scd2_is_deleted then 'deleted'
        when snapshot_rows.scd2_is_open then 'version'
        when snapshot_rows.scd2_is_empty then 'empty'
        when snapshot_rows.scd2_from = snapshot_rows.scd2_end then 'within a day'
        else 'version'
    end as scd2_fate
from snapshot_rows
{%- endmacro %}


{# A boundary of the snapshot in the model's validity_type, and whether that loses a part of it. A zoned one is read in scd2_timezone. #}
{% macro _snapshot_boundary(adoption, column, stored) -%}
    {%- set scd2 = adoption.scd2 -%}
    {%- set stamp = scd2_master.effective_date_sql(stored, column.type, 'timestamp', scd2.timezone) -%}
    {%- if not stamp -%}
        {%- do scd2_master.raise_findings(adoption.who, [scd2_master._finding(
            'effective_date_type', 'column ' ~ column.name ~ ' is of type ' ~ column.type ~ ', which is not a date or a timestamp',
            'Cast it in a view over the snapshot, and adopt the view'
        )]) -%}
    {%- elif scd2.validity_type == 'timestamp' -%}
        {{ return({'value': stamp.value, 'is_cut': stored ~ ' is not null and not coalesce(' ~ stamp.exact ~ ', false)'}) }}
    {%- endif -%}
    {%- set day = 'cast(' ~ stamp.value ~ ' as ' ~ scd2_master.boundary_type('date') ~ ')' -%}
    {{ return({'value': day, 'is_cut': stamp.value ~ ' <> cast(' ~ day ~ ' as ' ~ scd2_master.boundary_type('timestamp') ~ ')'}) }}
{%- endmacro %}


{#
    The history that the staged rows make; repeated ones count once. Type 0 columns keep their first value of the key, type 1
    columns get the newest, as they would have if the model had been run all along.
#}
{% macro _adopted_sql(scd2, layout, staging) -%}
    {%- set max_date = scd2_master.boundary_literal(scd2.max_date, scd2.validity_type) -%}
with adopted as (
    select distinct
        {{ scd2_master._selected(layout.data, 'staged') }},
        staged.scd2_from,
        staged.scd2_to
    from {{ staging }} as staged
    where staged.scd2_fate = 'version'
)

select
    {%- for column in layout.columns %}
    {{ scd2_master._adopted_value(layout, column, max_date) }} as {{ column.quoted }}{{ ',' if not loop.last }}
    {%- endfor %}
from adopted
{%- endmacro %}


{% macro _adopted_value(layout, column, max_date) -%}
    {%- if column.role in ['type0', 'type1'] -%}
        {{ return(
            'first_value(adopted.' ~ column.alias ~ ') over (partition by ' ~ scd2_master._aliases(layout.key, 'adopted')
            ~ ' order by adopted.scd2_from ' ~ ('asc' if column.role == 'type0' else 'desc') ~ ')'
        ) }}
    {%- elif column.role in ['version_key', 'tracked_hash'] -%}
        {{ return(scd2_master._hash_of(layout, column.role, 'adopted', 'adopted.scd2_from')) }}
    {%- endif -%}
    {{ return({
        'valid_from': 'adopted.scd2_from',
        'valid_to': 'adopted.scd2_to',
        'is_current': scd2_master._flag(column, 'coalesce(adopted.scd2_to = ' ~ max_date ~ ', false)'),
    }.get(column.role, 'adopted.' ~ column.alias)) }}
{%- endmacro %}
