-- How many requests each of these keys made in 24 hours, by full hours; no row for one that made none.
--
-- $1 key_ids
--
-- @uses key_request_counts_pkey
-- @not_null requests: a sum of at least one row
prepare count_key_requests (uuid[]) as
select key_request_counts.key_id, sum(key_request_counts.requests)::integer as requests
from key_request_counts
where key_request_counts.key_id = any ($1) and key_request_counts.hour > now() - interval '24 hours'
group by key_request_counts.key_id;
