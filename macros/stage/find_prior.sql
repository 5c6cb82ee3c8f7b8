{#
    The relation that holds the prior history, none where the run starts without one. Returns
    {'relation': relation or none, 'findings': list}. Rule: `prior_relation` and full refresh in SPEC section 2.
#}
{% macro find_prior(scd2, target_relation, existing_relation) -%}
    {%- set own = {'relation': existing_relation, 'findings': []} -%}
    {%- if scd2.full_refresh == 'refused' and existing_relation -%}
        {%- do exceptions.warn(scd2_master._full_refresh_refused(scd2)) -%}
    {%- endif -%}
    {%- if scd2.dry_flag and existing_relation is none -%}
        {{ return(own) }}
    {%- elif not scd2_master.has_other_prior(scd2, target_relation) -%}
        {{ return({'relation': none, 'findings': []} if scd2.full_refresh == 'allowed' else own) }}
    {%- endif -%}
    {%- set database, schema, identifier = scd2.prior -%}
    {%- set found = scd2_master.find_relation(database, schema, identifier) -%}
    {{ return({'relation': found, 'findings': [] if found else [scd2_master._finding(
        'prior_not_found', 'prior_relation ' ~ scd2.prior | join('.') ~ ' does not exist',
        'Create it, correct the name, or remove prior_relation to start from the own table'
    )]}) }}
{%- endmacro %}


{% macro _full_refresh_refused(scd2) -%}
    {{ return(
        'scd2_master ' ~ scd2.model ~ ': a full refresh does not discard history, so this is an ordinary run. To start from '
        ~ "an empty history, add --vars '{scd2_allow_full_refresh: [" ~ model.name ~ "]}'."
    ) }}
{%- endmacro %}
