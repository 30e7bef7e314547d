-- Makes deliveries that an active subscription missed due anew, oldest first, some at a time: those skipped while
-- it was paused, and those that failed since a run of failures paused it. To be repeated until no row comes. One row per delivery.
-- An event that is erased or expired cannot be delivered any more; its delivery stays as it is.
--
-- $1 subscription_id
-- $2 row_limit
--
-- Uses hook_outcomes_state_idx, hook_subscriptions_pkey, hook_outcomes_pkey and events_pkey; adds to hook_queue_pkey and
-- hook_queue_due_idx.
prepare update_deliveries_missed (uuid, integer) as
with skipped as (
  select hook_outcomes.id
  from hook_outcomes
  where hook_outcomes.subscription_id = $1 and hook_outcomes.state = 'skipped'
    and exists (select from events where events.cursor = hook_outcomes.cursor)
  order by hook_outcomes.id
  limit $2
),
-- From the first run of failures that paused it on, unless that was made up for.
failed as (
  select hook_outcomes.id
  from hook_outcomes
  join hook_subscriptions on hook_subscriptions.id = hook_outcomes.subscription_id
  where hook_outcomes.subscription_id = $1 and hook_outcomes.state = 'failed'
    and hook_outcomes.ended_at >= hook_subscriptions.missed_since
    and exists (select from events where events.cursor = hook_outcomes.cursor)
  order by hook_outcomes.id
  limit $2
),
missed as (
  select skipped.id
  from skipped
  union
  select failed.id
  from failed
),
taken_out as (
  delete from hook_outcomes
  using hook_subscriptions
  where hook_outcomes.id = any (array(select missed.id from missed)) and hook_outcomes.state in ('skipped', 'failed')
    and hook_subscriptions.id = hook_outcomes.subscription_id and hook_subscriptions.active
  returning hook_outcomes.id, hook_outcomes.subscription_id, hook_outcomes.cursor, hook_outcomes.test_event,
    hook_outcomes.created_at, hook_outcomes.maybe_sent
)
insert into hook_queue (id, subscription_id, cursor, test_event, due_at, created_at, maybe_sent)
select taken_out.id, taken_out.subscription_id, taken_out.cursor, taken_out.test_event, now(), taken_out.created_at,
  taken_out.maybe_sent
from taken_out
order by taken_out.id
returning hook_queue.id;
