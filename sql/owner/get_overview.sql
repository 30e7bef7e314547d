-- Whether all is well, in one row: where the feed stands, what waits for its cursor, what waits to be delivered, how many
-- requests were granted in the last 60 seconds, in any process, and whether there are live keys and may have been a delivery.
-- given_up counts what arrives only when the owner has it sent again.
-- unowned_since: since when something waits for a subscription that no live process delivers to, also what it catches up with. A
-- receiver that does not answer holds up its own deliveries, which are in due_since alone.
--
-- $1 count_max  no more is counted
--
-- A look for each type of each subscription.
--
-- @uses event_cursors_pkey, events_pkey, event_cursors_type_idx, hook_positions_subscription_id_key
-- @uses hook_retries_due_idx, hook_retries_untried_idx, hook_attempts_pkey
-- @not_null head, horizon: of the row of feed, through a view
-- @not_null unsequenced, pending, given_up, requests, at: counts, and the clock
prepare get_overview (integer) as
with backlogs as (
  select min(hook_backlogs.due_since) as due_since, min(hook_backlogs.unowned_since) as unowned_since
  from hook_backlogs
  where hook_backlogs.active
)
select feed_state.head, feed_state.horizon,
  unsequenced.total as unsequenced, unsequenced.since as unsequenced_since,
  count_pending_deliveries($1) as pending, count_given_up($1) as given_up, backlogs.due_since, backlogs.unowned_since,
  (select coalesce(sum(rate_windows.total - coalesce(rate_windows.earlier[older.place + 1], rate_windows.total)), 0)::integer
    from rate_windows
    cross join lateral (
      select width_bucket(floor(extract(epoch from now()))::bigint - 60, rate_windows.seconds) as place
    ) as older) as requests,
  exists (select from api_keys where api_keys.revoked_at is null) as has_keys,
  exists (select from hook_health where hook_health.outcome = 'd')
    or exists (
      select from hook_positions
      join hook_attempts on hook_attempts.no = hook_positions.no and hook_attempts.cursor < 0 and hook_attempts.outcome = 'd')
    -- What is older than hook_health keeps is not known any more: it may have delivered.
    or exists (select from hook_subscriptions where hook_subscriptions.created_at <= now() - interval '31 days') as has_delivered,
  now() as at
from feed_state, count_unsequenced($1) as unsequenced, backlogs;
