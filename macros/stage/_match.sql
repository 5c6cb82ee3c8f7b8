{#
    The item whose 'name' is `name`: exactly, else the only one that differs in case alone. None where there is none
    or where several do.
#}
{% macro _match(items, name) -%}
    {%- set alike = [] -%}
    {%- for item in items -%}
        {%- if item['name'] == name -%}
            {{ return(item) }}
        {%- elif item['name'] | lower == name | lower -%}
            {%- do alike.append(item) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(alike[0] if alike | length == 1 else none) }}
{%- endmacro %}


{#
    The item that is the column `name` of another relation, which has the columns `others`: an item that bears the exact
    name of another of them belongs to that one.
#}
{% macro _counterpart(items, name, others) -%}
    {%- set exact = items | selectattr('name', 'equalto', name) | first -%}
    {{ return(exact or scd2_master._match(items | rejectattr('name', 'in', others | map(attribute='name')) | list, name)) }}
{%- endmacro %}


{# Up to three of `names` that share the part `likeness` (0 to 1) of their letter pairs with `name`. #}
{% macro _near_names(name, names, likeness=0.5) -%}
    {%- set near = [] -%}
    {%- set pairs = scd2_master._letter_pairs(name) -%}
    {#- names whose lengths differ more than this cannot be that alike -#}
    {%- set shortest = likeness / (2 - likeness) -%}
    {%- for candidate in names if candidate | length >= shortest * name | length
            and name | length >= shortest * candidate | length -%}
        {%- set others = scd2_master._letter_pairs(candidate) -%}
        {%- set shared = pairs | select('in', others) | list | length -%}
        {%- if 2 * shared >= likeness * (pairs | length + others | length) and shared > 0 -%}
            {%- do near.append(candidate) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(near[:3]) }}
{%- endmacro %}


{% macro _letter_pairs(name) -%}
    {%- set text = ' ' ~ name | lower ~ ' ' -%}
    {%- set pairs = [] -%}
    {%- for position in range(text | length - 1) -%}
        {%- do pairs.append(text[position:position + 2]) -%}
    {%- endfor -%}
    {{ return(pairs) }}
{%- endmacro %}
