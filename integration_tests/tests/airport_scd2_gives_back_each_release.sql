-- The history as of the day of each applied release holds that release's rows: no more, no fewer, no others.
with

applied as (
    select *
    from {{ ref('airport_releases') }}
    where
        released_on >= (select min(valid_from) from {{ ref('airport_scd2') }})
        and released_on <= cast('{{ var("airport_release") }}' as date)
),

release_days as (
    select distinct released_on
    from applied
),

published as (
    select
        released_on,
        icao,
        iata,
        name,
        city,
        subdivision,
        elevation
    from applied
),

recorded as (
    select
        release_days.released_on,
        history.icao,
        history.iata,
        history.name,
        history.city,
        history.subdivision,
        history.elevation
    from release_days
    inner join {{ ref('airport_scd2') }} as history
        on
            release_days.released_on >= history.valid_from
            and release_days.released_on < history.valid_to
),

missing as (
    select * from published
    except all
    select * from recorded
),

surplus as (
    select * from recorded
    except all
    select * from published
)

select
    'missing' as fault,
    *
from missing
union all
select
    'surplus' as fault,
    *
from surplus
