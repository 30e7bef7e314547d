-- What a scrape of /metrics shows of the whole workspace, in one row: how far the feed is, what waits for its cursor,
-- what waits to be delivered, how the subscriptions fare. Counts end at $1: a scrape costs the same however much waits.
-- Ages are by the database's clock. unowned are subscriptions with something to deliver and no live process that does.
--
-- $1 count_max  no more is counted
--
-- A look for each type of each subscription.
--
-- @uses event_cursors_pkey, events_pkey, event_cursors_type_idx, hook_positions_subscription_id_key
-- @uses hook_retries_due_idx, hook_retries_untried_idx
-- @not_null head, horizon: of the row of feed, through a view
-- @not_null unsequenced, pending, unowned, active, failing, paused: counts
prepare get_gauges (integer) as
with backlogs as (
  select min(hook_backlogs.due_since) as due_since,
    count(hook_backlogs.unowned_since)::integer as unowned
  from hook_backlogs
  where hook_backlogs.active
),
subscriptions as (
  select
    (count(*) filter (where hook_subscriptions.active and hook_subscriptions.consecutive_failures = 0))::integer as active,
    (count(*) filter (where hook_subscriptions.active and hook_subscriptions.consecutive_failures > 0))::integer as failing,
    (count(*) filter (where not hook_subscriptions.active))::integer as paused
  from hook_subscriptions
)
select feed_state.head, feed_state.horizon,
  (select extract(epoch from now() - event_cursors.sequenced_at)
    from event_cursors
    order by event_cursors.cursor desc
    limit 1) as head_age,
  unsequenced.total as unsequenced, extract(epoch from now() - unsequenced.since) as unsequenced_age,
  count_pending_deliveries($1) as pending,
  extract(epoch from now() - backlogs.due_since) as due_age,
  backlogs.unowned, subscriptions.active, subscriptions.failing, subscriptions.paused
from feed_state, count_unsequenced($1) as unsequenced, backlogs, subscriptions;
