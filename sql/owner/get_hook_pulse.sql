-- One text that changes when something happens to a subscription, or to one of its deliveries, when it has waited for too long, or
-- when no process delivers to it: an open page compares it with the last one. xmin changes with every update of the
-- subscription, also where a second one restores the first values. While it is paused its position stands still, and what waits
-- grows with the feed.
--
-- $1 subscription_id
-- $2 cursor?          of the delivery; null: any
-- $3 seconds          how long is too long
--
-- @uses hook_subscriptions_pkey, hook_positions_subscription_id_key, hook_retries_pkey, hook_failures_pkey
-- @uses hook_skips_pkey, hook_attempts_pkey, event_cursors_pkey, event_cursors_type_idx, hook_retries_due_idx, hook_retries_untried_idx
prepare get_hook_pulse (uuid, bigint, integer) as
select concat_ws(' ', hook_subscriptions.xmin,
  hook_backlogs.owned, hook_backlogs.due_since <= now() - make_interval(secs => $3) is true,
  case when $2 is null then hook_positions.cursor end,
  case when $2 is null and not hook_subscriptions.active then (select feed_state.head from feed_state) end,
  (select string_agg(hook_skips.from_cursor::text, ',' order by hook_skips.to_cursor) from hook_skips where hook_skips.no = hook_positions.no),
  (select count(*) from (
    select from hook_retries where hook_retries.no = hook_positions.no and ($2 is null or hook_retries.cursor = $2) limit 1000) as waiting),
  (select count(*) from (
    select from hook_failures where hook_failures.no = hook_positions.no and ($2 is null or hook_failures.cursor = $2) limit 1000) as failed),
  (select count(*) from hook_attempts where hook_attempts.no = hook_positions.no and hook_attempts.cursor = $2)) as pulse
from hook_subscriptions
join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
join hook_backlogs on hook_backlogs.subscription_id = hook_subscriptions.id
where hook_subscriptions.id = $1;
