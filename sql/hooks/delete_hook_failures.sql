-- Dismisses what a subscription did not get: failures, and ranges that are not caught up with. Its events and attempts
-- stay. One row with how many deliveries, or none: there is no such subscription.
--
-- $1 subscription_id
--
-- @uses hook_positions_subscription_id_key, hook_failures_pkey, hook_skips_pkey
-- @not_null deliveries: a count
prepare delete_hook_failures (uuid) as
-- Locked first, as by deliver_missed, which takes ranges first and then failures.
with subscription as materialized (
  select hook_positions.no
  from hook_subscriptions
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where hook_subscriptions.id = $1
  for no key update of hook_subscriptions
),
failures as (
  delete from hook_failures
  using subscription
  where hook_failures.no = subscription.no
  returning 1
),
ranges as (
  delete from hook_skips
  using subscription
  where hook_skips.no = subscription.no and not hook_skips.catching_up
  returning hook_skips.events
)
select ((select count(*) from failures) + coalesce((select sum(ranges.events) from ranges), 0))::bigint as deliveries
from subscription;
