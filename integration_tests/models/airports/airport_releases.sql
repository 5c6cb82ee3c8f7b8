{% for release in ['2022-01-07', '2024-03-09', '2026-02-08'] -%}
select
    cast('{{ release }}' as date) as released_on,
    icao,
    iata,
    name,
    city,
    subd as subdivision,
    country,
    elevation,
    lat,
    lon,
    tz
from {{ ref('airports_' ~ release | replace('-', '')) }}
{% if not loop.last -%}
union all
{% endif -%}
{%- endfor %}
