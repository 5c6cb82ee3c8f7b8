select
    released_on,
    icao,
    iata,
    name,
    city,
    subdivision,
    country,
    elevation,
    lat,
    lon,
    tz
from {{ ref('airport_releases') }}
where released_on = cast('{{ var("airport_release") }}' as date)
