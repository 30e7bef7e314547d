-- Whether all is well, in one row: where the feed stands, what waits for its cursor, whether a process leads, how many
-- requests were granted in the last 60 seconds, in any process, and whether there are live keys.
--
-- $1 count_max  no more events that wait for a cursor are counted
--
-- @uses event_cursors_pkey, events_pkey, leader_pkey
-- @not_null head, horizon: of the row of feed, through a view
-- @not_null unsequenced, requests, has_leader, has_keys, at: counts, a comparison, and the clock
prepare get_overview (integer) as
select feed_state.head, feed_state.horizon,
  unsequenced.total as unsequenced, unsequenced.since as unsequenced_since,
  (select coalesce(sum(rate_windows.total - coalesce(rate_windows.earlier[older.place + 1], rate_windows.total)),
    0)::integer
    from rate_windows
    cross join lateral (
      select width_bucket(floor(extract(epoch from now()))::bigint - 60, rate_windows.seconds) as place
    ) as older) as requests,
  (select leader.lease_until > now() from leader) as has_leader,
  exists (select from api_keys where api_keys.revoked_at is null) as has_keys,
  now() as at
from feed_state, count_unsequenced($1) as unsequenced;
