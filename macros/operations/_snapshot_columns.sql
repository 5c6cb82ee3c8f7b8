{#
    The snapshot's own columns by their dbt names: those that the table has. Their names are the argument's, else the
    snapshot's configured ones, else dbt's.
#}
{% macro _meta_columns(found, renamed, findings) -%}
    {%- set configured = (found.node.config.snapshot_meta_column_names if found.node) or {} -%}
    {%- set names = {} -%}
    {%- for name in ['dbt_scd_id', 'dbt_updated_at', 'dbt_valid_from', 'dbt_valid_to', 'dbt_is_deleted'] -%}
        {%- do names.update({name: configured.get(name) or name}) -%}
    {%- endfor -%}
    {%- if renamed is not mapping or renamed.keys() | reject('in', names) | list
        or not scd2_master._fits(renamed.values() | list, 'list') -%}
        {%- do findings.append(scd2_master._invalid_argument(
            'snapshot_meta_column_names', renamed, 'a mapping that gives column names to ' ~ names | join(', ')
        )) -%}
        {{ return({}) }}
    {%- endif -%}
    {%- do names.update(renamed) -%}
    {%- set columns = {} -%}
    {%- for name, real in names.items() if scd2_master._match(found.columns, real) -%}
        {%- do columns.update({name: scd2_master._match(found.columns, real)}) -%}
    {%- endfor -%}
    {%- set missing = ['dbt_valid_from', 'dbt_valid_to'] | reject('in', columns) | list -%}
    {%- for name in missing -%}
        {%- do findings.append(scd2_master._finding(
            'prior_not_scd2', found.relation ~ ' is not the table of a snapshot: it has no column ' ~ names[name] ~ ' (' ~ name ~ ')',
            'Name another table, or say with snapshot_meta_column_names what the column is called'
        )) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}


{# The model's configuration as far as it concerns a history: what only tells how a source is read is left out. #}
{% macro _adopting(scd2, data) -%}
    {%- set dated = scd2_master._match(data, scd2.effective_date_column or '') -%}
    {%- set carried = [] -%}
    {%- for name in scd2.carried_columns if scd2_master._match(data, name) -%}
        {%- do carried.append(name) -%}
    {%- endfor -%}
    {{ return(dict(
        scd2, deleted_when=none, carried_columns=carried, effective_date_column=scd2.effective_date_column if dated else none
    )) }}
{%- endmacro %}


{# unknown_column, said of the snapshot; the rest of what names can break is found by resolve_columns. #}
{% macro _adoption_findings(scd2, data) -%}
    {%- set findings = [] -%}
    {%- for role, names in {
        'key': scd2.unique_key, 'tracked': scd2_master._tracked_names(scd2), 'type0': scd2.type0_columns, 'type1': scd2.type1_columns
    }.items() -%}
        {%- for name in names if not scd2_master._match(data, name) -%}
            {%- do findings.append(dict(
                scd2_master._unknown_column(role, name, data, 'the snapshot'),
                remedy='Correct the option, or adopt a view over the snapshot that has the column'
            )) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(findings) }}
{%- endmacro %}


{# The expression of dbt_valid_to_current; a bare date stands for itself. #}
{% macro _given_sentinel(value, findings) -%}
    {%- set date = scd2_master._parse_boundary(value, 'timestamp') -%}
    {%- if value is not none and not date and not scd2_master._fits(value, 'name') -%}
        {%- do findings.append(scd2_master._invalid_argument('dbt_valid_to_current', value, 'a SQL expression')) -%}
    {%- endif -%}
    {{ return(scd2_master.boundary_literal(date, 'timestamp') if date else value) }}
{%- endmacro %}
