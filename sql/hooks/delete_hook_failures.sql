-- Dismisses what a subscription did not get: failures, and ranges that are not caught up with. Its events and attempts
-- stay. Test events that failed go along, and are not counted. One row with how many deliveries there were, and how many
-- are dismissed: null where there were more than $2. No row: there is no such subscription.
--
-- $1 subscription_id
-- $2 deliveries_max?  null: all of them
--
-- @uses hook_positions_subscription_id_key, hook_failures_pkey, hook_skips_pkey
-- @not_null missed: a count
prepare delete_hook_failures (uuid, bigint) as
-- Locked first, as by deliver_missed, which takes ranges first and then failures.
with subscription as materialized (
  select hook_positions.no
  from hook_subscriptions
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where hook_subscriptions.id = $1
  for no key update of hook_subscriptions
),
-- What fails from here on is neither counted nor dismissed: one statement sees the same rows throughout.
missed as materialized (
  select (select count(*) from hook_failures where hook_failures.no = subscription.no and hook_failures.cursor > 0) + (
    select coalesce(sum(hook_skips.events), 0) from hook_skips
    where hook_skips.no = subscription.no and not hook_skips.catching_up) as deliveries
  from subscription
),
allowed as materialized (
  select subscription.no
  from subscription
  cross join missed
  where $2 is null or missed.deliveries <= $2
),
failures as (
  delete from hook_failures
  using allowed
  where hook_failures.no = allowed.no
  returning hook_failures.cursor
),
ranges as (
  delete from hook_skips
  using allowed
  where hook_skips.no = allowed.no and not hook_skips.catching_up
  returning hook_skips.events
)
select missed.deliveries::bigint as missed,
  case when exists (select from allowed)
    then ((select count(*) from failures where failures.cursor > 0) + coalesce((select sum(ranges.events) from ranges), 0))::bigint end as deliveries
from missed;
