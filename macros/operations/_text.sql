{# A text on one line of a terminal or a picture: control characters and marks that turn the direction become blanks. #}
{% macro _printable(text) -%}
    {%- set unseen = '[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]' -%}
    {{ return(modules.re.sub(unseen, ' ', text | string)) }}
{%- endmacro %}


{# How many cells of a terminal a text takes: Chinese, Japanese and Korean letters and pictures two, combining marks none. #}
{% macro _cells(text) -%}
    {%- set wide = '[\u1100-\u115f\u231a-\u231b\u23e9-\u23f3\u25fd-\u25fe\u2614-\u27bf\u2b1b-\u2b55\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f'
        ~ '\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\U0001f000-\U0001faff\U00020000-\U0003fffd]' -%}
    {%- set none_at_all = '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u200b-\u200d\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]' -%}
    {{ return(
        text | length + modules.re.findall(wide, text) | length - modules.re.findall(none_at_all, text) | length
    ) }}
{%- endmacro %}


{# A text of at most `width` cells: a longer one is cut and ends in '...'. #}
{% macro _shortened(text, width) -%}
    {%- if scd2_master._cells(text) <= width -%}
        {{ return(text) }}
    {%- endif -%}
    {%- set kept = namespace(text='', cells=0) -%}
    {%- for sign in text[:8 * width] if kept.cells <= width - 3 -%}
        {%- set kept.cells = kept.cells + scd2_master._cells(sign) -%}
        {%- set kept.text = kept.text ~ (sign if kept.cells <= width - 3 else '') -%}
    {%- endfor -%}
    {{ return(kept.text ~ '...') }}
{%- endmacro %}


{# The same, filled up with blanks to exactly `width` cells. #}
{% macro _fitted(text, width) -%}
    {%- set shortened = scd2_master._shortened(text, width) -%}
    {{ return(shortened ~ ' ' * (width - scd2_master._cells(shortened))) }}
{%- endmacro %}


{# The width of a column of these texts, at most `most`. #}
{% macro _column_width(texts, most) -%}
    {%- set widths = [1] -%}
    {%- for text in texts -%}
        {%- do widths.append(scd2_master._cells(text)) -%}
    {%- endfor -%}
    {{ return([widths | max, most] | min) }}
{%- endmacro %}
