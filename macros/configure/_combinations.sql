{# invalid_option: options that exclude each other or need another. Rule: SPEC sections 2 and 7. #}
{% macro _check_combinations(scd2, own_table, findings) -%}
    {%- set is_log = scd2.input_kind == 'change_log' -%}
    {%- for holds, key, problem in [
        (scd2.scd2_strategy == 'merge' and scd2.prior and scd2_master.has_other_prior(scd2, own_table), 'scd2_strategy',
         "which writes into the own table and cannot start from another prior_relation; use 'rebuild' for that run"),
        (scd2.deleted_when and not is_log, 'deleted_when', "which only input_kind 'change_log' has"),
        (scd2.close_on_absence and is_log, 'close_on_absence',
         "and in a change_log absence means nothing; deleted_when retires keys"),
        (scd2.initial_valid_from and is_log, 'initial_valid_from',
         'and the rows of a change_log bring the dates from which they hold'),
        (scd2.input_kind != 'snapshot' and scd2.effective_date, 'effective_date',
         "and with input_kind '" ~ scd2.input_kind ~ "' each row has its date: name effective_date_column instead"),
    ] if holds -%}
        {%- do findings.append(scd2_master._invalid_option(key, scd2[key], problem)) -%}
    {%- endfor -%}
{%- endmacro %}
