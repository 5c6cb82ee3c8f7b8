{# The statement that appends a run to the run log. A count that does not apply to the model is null. #}
{% macro log_run_sql(scd2, counts, facts) -%}
    {%- set now = modules.datetime.datetime.now(modules.pytz.utc) -%}
    {%- set reported = scd2_master._reported_counts(scd2, counts, facts) -%}
    {%- set values = {
        'invocation_id': invocation_id, 'model': scd2.model, 'scd2_strategy': scd2.scd2_strategy,
        'first_effective_date': facts.effective_date or facts.first_date, 'source_rows': facts.source_rows,
        'effective_date': facts.effective_date or facts.last_date,
        'started_at': scd2.started_at.strftime('%Y-%m-%d %H:%M:%S.%f'), 'seconds': (now - scd2.started_at).total_seconds(),
    } -%}
    {%- set row = [] -%}
    {%- for name, type in scd2_master.run_log_columns().items() -%}
        {%- set value = values.get(name, reported.get(name | replace('_', ' '))) -%}
        {%- do row.append(
            'cast(' ~ ('null' if value is none else string_literal(escape_single_quotes(value | string))) ~ ' as ' ~ type ~ ')'
        ) -%}
    {%- endfor -%}
insert into {{ scd2.run_log }} ({{ scd2_master.run_log_columns() | join(', ') }})
values (
    {{ row | join(',\n    ') }}
)
{%- endmacro %}
