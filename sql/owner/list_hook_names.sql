-- Every subscription by name, with whether it needs the owner: for the banner on every page. Newest first.
-- has_missed: events failed, or were missed, and arrive only when the owner has them sent again. has_expired: events are
-- retained no longer, and the owner has not dismissed them. is_retrying: the oldest event that waits for its moment was tried
-- before. is_catching_up: what was missed is on its way.
--
-- Reads the whole table: there are at most HOOKS_MAX.
--
-- @uses hook_positions_subscription_id_key, hook_failures_pkey, hook_skips_pkey, hook_retries_pkey
-- @not_null has_missed, has_expired, is_retrying, is_catching_up: they are computed
prepare list_hook_names as
select hook_subscriptions.id, hook_subscriptions.label, hook_subscriptions.target_url, hook_subscriptions.event_types, hook_subscriptions.active,
  hook_subscriptions.consecutive_failures, hook_subscriptions.failing_since, hook_subscriptions.paused_at,
  hook_subscriptions.pause_reason,
  exists (select from hook_failures where hook_failures.no = hook_positions.no and hook_failures.cursor > 0) or ranges.has_missed as has_missed,
  ranges.has_expired, ranges.is_catching_up,
  coalesce((
    select hook_retries.attempts from hook_retries
    where hook_retries.no = hook_positions.no and hook_retries.cursor > 0
    order by hook_retries.cursor
    limit 1), 0) > 0 as is_retrying
from hook_subscriptions
join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
cross join lateral (
  select coalesce(bool_or(hook_skips.reason = 'paused' and not hook_skips.catching_up and hook_skips.events > 0), false) as has_missed,
    coalesce(bool_or(hook_skips.reason = 'expired' and hook_skips.events > 0), false) as has_expired,
    coalesce(bool_or(hook_skips.catching_up), false) as is_catching_up
  from hook_skips
  where hook_skips.no = hook_positions.no
) as ranges
order by hook_subscriptions.created_at desc, hook_subscriptions.id desc;
