-- Forgets counts of a day ago and requests of 30 days ago, whichever key they are of.
--
-- Reads both tables, once an hour: 24 and 30 rows a key.
--
-- @not_null forgotten: a count
prepare prune_key_request_counts as
with expired as (
  delete from key_requests
  where key_requests.at <= now() - interval '30 days'
),
forgotten as (
  delete from key_request_counts
  where key_request_counts.hour <= now() - interval '25 hours'
  returning key_request_counts.key_id
)
select count(*)::integer as forgotten from forgotten;
