-- Notes the last requests of keys, and how many there were by hour: what one process gathered in a few seconds.
-- Counts in one order, so that two processes wait for each other instead of failing.
--
-- $1 key_ids      of each request, like the next seven
-- $2 at
-- $3 request_ids
-- $4 methods
-- $5 routes
-- $6 tools        null: none was called
-- $7 statuses
-- $8 duration_ms
-- $9 counted_ids  key of each count, like the next two
-- $10 hours       when the hour begins
-- $11 counts
--
-- @adds key_requests_pkey
-- @uses key_request_counts_pkey
-- @not_null recorded: a count
prepare record_key_requests (uuid[], timestamptz[], text[], text[], text[], text[], integer[], integer[], uuid[], timestamptz[], integer[]) as
with counted as (
  insert into key_request_counts (key_id, hour, requests)
  select counted.key_id, counted.hour, counted.requests
  from unnest($9, $10, $11) as counted (key_id, hour, requests)
  order by counted.key_id, counted.hour
  on conflict (key_id, hour) do update set requests = key_request_counts.requests + excluded.requests
),
recorded as (
  insert into key_requests (key_id, at, request_id, method, route, tool, status, duration_ms)
  select given.key_id, given.at, given.request_id, given.method, given.route, given.tool, given.status, given.duration_ms
  from unnest($1, $2, $3, $4, $5, $6, $7, $8) as given (key_id, at, request_id, method, route, tool, status, duration_ms)
  returning key_requests.key_id
)
select count(*)::integer as recorded from recorded;
