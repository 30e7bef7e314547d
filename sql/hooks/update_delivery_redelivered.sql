-- Makes one delivery due anew, at once, with all its attempts before it. One row, or none: there is no such
-- delivery, it is being sent, its subscription is paused or deleted, or its event is gone.
--
-- $1 id
--
-- Uses hook_deliveries_pkey, hook_subscriptions_pkey and events_pkey.
prepare update_delivery_redelivered (bigint) as
update hook_deliveries
set state = 'pending', due_at = now(), ended_at = null, attempts = 0, claim = null, claimed_until = null,
  maybe_sent = hook_deliveries.maybe_sent or hook_deliveries.claim is not null
from hook_subscriptions
where hook_deliveries.id = $1
  and (hook_deliveries.claimed_until is null or hook_deliveries.claimed_until <= now())
  and hook_subscriptions.id = hook_deliveries.subscription_id
  and hook_subscriptions.active
  and (hook_deliveries.cursor is null or exists (select from events where events.cursor = hook_deliveries.cursor))
returning hook_deliveries.id;
