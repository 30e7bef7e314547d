-- What a scrape of /metrics shows of the whole workspace, in one row: how far the feed is, what waits for its cursor,
-- what waits to be delivered, how the subscriptions fare. Counts end at $1: a scrape costs the same however much waits.
-- Ages are by the database's clock, in seconds.
--
-- $1 count_max  no more is counted
--
-- A look for each type of each subscription.
--
-- @uses event_cursors_pkey, events_pkey, event_cursors_type_idx, hook_outstanding_due_idx, leader_pkey
-- @not_null head, horizon: of the row of feed, through a view
-- @not_null unsequenced, pending, failed, active, failing, paused, has_leader: counts and a comparison
prepare get_gauges (integer) as
with subscriptions as (
  select hook_subscriptions.id, hook_subscriptions.active, hook_subscriptions.consecutive_failures,
    count_events_at_most(hook_subscriptions.event_types, hook_subscriptions.cursor, 9223372036854775807, $1) as behind
  from hook_subscriptions
  where hook_subscriptions.deleted_at is null
)
select feed_state.head, feed_state.horizon,
  (select extract(epoch from now() - event_cursors.sequenced_at)
    from event_cursors
    order by event_cursors.cursor desc
    limit 1) as head_age,
  unsequenced.total as unsequenced, extract(epoch from now() - unsequenced.since) as unsequenced_age,
  least($1, (select coalesce(sum(subscriptions.behind), 0) from subscriptions where subscriptions.active)
    + (select count(*) from (select from hook_outstanding where due_at is not null limit $1) as counted)
    )::integer as pending,
  (select count(*)::integer from (select from hook_outstanding where due_at is null limit $1) as counted) as failed,
  (select extract(epoch from now() - min(hook_outstanding.due_at)) from hook_outstanding
    where hook_outstanding.due_at <= now()) as due_age,
  (select count(*)::integer from subscriptions where active and consecutive_failures = 0) as active,
  (select count(*)::integer from subscriptions where active and consecutive_failures > 0) as failing,
  (select count(*)::integer from subscriptions where not active) as paused,
  (select leader.lease_until > now() from leader) as has_leader
from feed_state, count_unsequenced($1) as unsequenced;
