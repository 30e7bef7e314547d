-- Grants requests to keys, as long as fewer than permits_max were granted in the last 60 seconds, in any process.
-- Counted by second over 61 of them: never more than permits_max in any 60 s, at most one second too strict.
-- One row per key. granted: how many of those wanted. used: granted in the window by now. wait_seconds: until one
-- more is free, when not all were granted. Processes that ask for the same key wait for its row lock;
-- the keys are taken in order, so none waits for the other in a circle.
--
-- $1 key_ids
-- $2 wanted       requests wanted, one number per key, at least 1
-- $3 permits_max
-- $4 at?          null: the database clock
--
-- Running totals and width_bucket make it two binary searches instead of a sum.
--
-- @planned once
-- @uses rate_windows_pkey
-- @not_null used: a row always has at least one total
prepare claim_permits (uuid[], integer[], integer, timestamptz) as
insert into rate_windows (key_id, seconds, totals, expired, granted)
select claim.key_id, array[clock.second], array[least(claim.wanted, $3)], 0, least(claim.wanted, $3)
from unnest($1, $2) as claim (key_id, wanted),
  (select floor(extract(epoch from coalesce($4, clock_timestamp())))::bigint as second) as clock
order by claim.key_id
on conflict (key_id) do update
set (seconds, totals, expired, granted) = (
  select
    case when outcome.granted = 0 or newest.second = rate_windows.seconds[newest.place] then rate_windows.seconds[old.place + 1:]
      else rate_windows.seconds[old.place + 1:] || newest.second end,
    case when outcome.granted = 0 then rate_windows.totals[old.place + 1:]
      when newest.second = rate_windows.seconds[newest.place] then rate_windows.totals[old.place + 1:newest.place - 1] || (newest.total + outcome.granted)
      else rate_windows.totals[old.place + 1:] || (newest.total + outcome.granted) end,
    old.expired,
    outcome.granted
  from (
      select cardinality(rate_windows.seconds) as place,
        rate_windows.totals[cardinality(rate_windows.seconds)] as total,
        greatest(excluded.seconds[1], rate_windows.seconds[cardinality(rate_windows.seconds)]) as second
    ) as newest
    cross join lateral (select width_bucket(newest.second - 61, rate_windows.seconds) as place) as gone
    cross join lateral (
      select gone.place, case when gone.place = 0 then rate_windows.expired else rate_windows.totals[gone.place] end as expired
    ) as old
    cross join lateral (
      select greatest(0, least(excluded.granted, $3 - (newest.total - old.expired)))::integer as granted
    ) as outcome
)
returning key_id, granted,
  (totals[cardinality(totals)] - expired)::integer as used,
  (seconds[width_bucket(totals[cardinality(totals)] - $3, totals) + 1] + 61
    - greatest(floor(extract(epoch from coalesce($4, clock_timestamp()))), seconds[cardinality(seconds)]))::integer as wait_seconds;
