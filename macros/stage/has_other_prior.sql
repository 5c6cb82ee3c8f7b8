{# Whether `prior_relation` names another table than the model's own. #}
{% macro has_other_prior(scd2, target_relation) -%}
    {%- set own = [target_relation.database, target_relation.schema, target_relation.identifier] -%}
    {{ return(scd2.prior is not none and scd2.prior | map('lower') | list != own | map('lower') | list) }}
{%- endmacro %}
