select
    customer_id,
    region,
    segment
from {{ ref('customers_' ~ (var('snapshot_date') | string | replace('-', ''))) }}
