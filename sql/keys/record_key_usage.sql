-- Notes what keys asked for, by hour and outcome, and when they were last used: what one process gathered in a few
-- seconds. Rows are written in one order, so that two processes wait for each other instead of failing. What is older
-- than a day goes. A key's row is written once a minute at most.
--
-- $1 key_ids     of each count, like the next five
-- $2 hours       when the hour begins
-- $3 codes       of the refusal; empty: none
-- $4 counts
-- $5 last_ats
-- $6 last_routes
--
-- @uses key_usage_pkey, api_keys_pkey
-- @not_null recorded: a count
prepare record_key_usage (uuid[], timestamptz[], text[], integer[], timestamptz[], text[]) as
with forgotten as (
  delete from key_usage
  where key_usage.hour <= now() - interval '25 hours'
), recorded as (
  insert into key_usage (key_id, hour, code, requests, last_at, last_route)
  select counted.key_id, counted.hour, counted.code, counted.requests, counted.last_at, counted.last_route
  from unnest($1, $2, $3, $4, $5, $6) as counted (key_id, hour, code, requests, last_at, last_route)
  order by counted.key_id, counted.hour, counted.code
  on conflict (key_id, hour, code) do update
    set requests = key_usage.requests + excluded.requests, last_at = excluded.last_at, last_route = excluded.last_route
  returning key_usage.key_id
), used as (
  select api_keys.id, lately.used_at
  from (
    select counted.key_id, max(counted.last_at) as used_at
    from unnest($1, $5) as counted (key_id, last_at)
    group by counted.key_id
  ) as lately
  join api_keys on api_keys.id = lately.key_id
  where api_keys.last_used_at is null or api_keys.last_used_at < lately.used_at - interval '1 minute'
  order by api_keys.id
  for no key update of api_keys
), noted as (
  update api_keys
  set last_used_at = used.used_at
  from used
  where api_keys.id = used.id
)
select count(*)::integer as recorded from recorded;
