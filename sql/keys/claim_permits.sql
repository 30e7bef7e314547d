-- Grants requests to keys, as long as fewer than permits_max were granted in the last 60 seconds, in any process.
-- Counted by second over 61 of them: never more than permits_max in any 60 s, at most one second too strict.
-- One row per key. granted: how many of those wanted. used: granted in the window by now. wait_seconds: until one
-- more is free, when not all were granted. Processes that ask for the same key wait for its row lock;
-- the keys are taken in order, so none waits for the other in a circle.
--
-- $1 key_ids
-- $2 wanted       requests wanted, one number per key, at least 1
-- $3 permits_max
-- $4 at?          null: the database clock; one that goes back counts as one that stands still
--
-- Counts before each second and width_bucket make it two binary searches instead of a sum. offset 0 keeps the planner from
-- writing the first of them into each place that needs it.
--
-- @uses rate_windows_pkey
-- @not_null used: a row always has at least one second
prepare claim_permits (uuid[], integer[], integer, timestamptz) as
insert into rate_windows (key_id, seconds, earlier, total, granted)
select claim.key_id, array[floor(extract(epoch from coalesce($4, clock_timestamp())))::bigint], '{0}', least(claim.wanted, $3), least(claim.wanted, $3)
from unnest($1, $2) as claim (key_id, wanted)
order by claim.key_id
on conflict (key_id) do update
set (seconds, earlier, total, granted) = (
  select
    rate_windows.seconds[old.place + 1:] || added.second,
    rate_windows.earlier[old.place + 1:] || case when added.second is not null then array[rate_windows.total] end,
    rate_windows.total + outcome.granted,
    outcome.granted
  from (select width_bucket(excluded.seconds[1] - 61, rate_windows.seconds) as place offset 0) as old
    cross join lateral (
      select case when excluded.seconds[1] > rate_windows.seconds[cardinality(rate_windows.seconds)] then excluded.seconds end as second
    ) as added
    cross join lateral (
      select rate_windows.total - coalesce(rate_windows.earlier[old.place + 1], rate_windows.total) as used
    ) as live
    cross join lateral (select greatest(0, least(excluded.granted, $3 - live.used))::integer as granted) as outcome
)
returning key_id, granted, (total - earlier[1])::integer as used,
  (seconds[width_bucket(total - $3, earlier)] + 61
    - greatest(floor(extract(epoch from coalesce($4, clock_timestamp()))), seconds[cardinality(seconds)]))::integer as wait_seconds;
