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


{# Names that share at least half of their letter pairs with `name`, as the end of a message: ' Did you mean ...?' #}
{% macro _near_names(name, names) -%}
    {%- set near = [] -%}
    {%- set pairs = scd2_master._letter_pairs(name) -%}
    {%- for candidate in names -%}
        {%- set others = scd2_master._letter_pairs(candidate) -%}
        {%- set shared = pairs | select('in', others) | list | length -%}
        {%- if 2 * shared >= (pairs | length + others | length) / 2 and shared > 0 -%}
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
