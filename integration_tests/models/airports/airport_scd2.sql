{{ config(
    materialized='scd2_master',
    unique_key='icao',
    tracked_columns=['iata', 'name', 'city', 'subdivision', 'elevation'],
    effective_date_column='valid_from',
    close_on_absence=true,
    max_closed_fraction=0.1,
) }}

select
    icao,
    iata,
    name,
    city,
    subdivision,
    elevation,
    country,
    lat,
    lon,
    tz,
    released_on as valid_from
from {{ ref('airport_master') }}
