-- Makes deliveries that an active subscription missed due anew, oldest first, some at a time: those skipped while
-- it was paused, and those that failed since a run of failures paused it. To be repeated until no row comes. One row per delivery.
-- An event that is erased or expired cannot be delivered any more; its delivery stays as it is.
--
-- $1 subscription_id
-- $2 row_limit
--
-- Uses hook_deliveries_state_idx, hook_subscriptions_pkey, hook_deliveries_pkey and events_pkey.
prepare update_deliveries_missed (uuid, integer) as
with skipped as (
  select hook_deliveries.id
  from hook_deliveries
  where hook_deliveries.subscription_id = $1 and hook_deliveries.state = 'skipped'
    and exists (select from events where events.cursor = hook_deliveries.cursor)
  order by hook_deliveries.id
  limit $2
),
-- From the first run of failures that paused it on, unless that was made up for.
failed as (
  select hook_deliveries.id
  from hook_deliveries
  join hook_subscriptions on hook_subscriptions.id = hook_deliveries.subscription_id
  where hook_deliveries.subscription_id = $1 and hook_deliveries.state = 'failed'
    and hook_deliveries.ended_at >= hook_subscriptions.missed_since
    and exists (select from events where events.cursor = hook_deliveries.cursor)
  order by hook_deliveries.id
  limit $2
),
missed as (
  select skipped.id
  from skipped
  union
  select failed.id
  from failed
)
update hook_deliveries
set state = 'pending', due_at = now(), ended_at = null, attempts = 0
from hook_subscriptions
where hook_deliveries.id = any (array(select missed.id from missed)) and hook_deliveries.state in ('skipped', 'failed')
  and hook_subscriptions.id = hook_deliveries.subscription_id and hook_subscriptions.active
returning hook_deliveries.id;
