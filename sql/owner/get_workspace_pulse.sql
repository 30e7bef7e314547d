-- One text that changes when something happens at any subscription or in the feed, when one of them has waited for too long, or when
-- no process does the work: open pages about all of them compare it with the last one. xmin changes with every update.
--
-- $1 seconds  how long is long
--
-- A look for each type of each subscription.
--
-- @uses event_cursors_pkey, events_pkey, event_cursors_type_idx, hook_positions_subscription_id_key
-- @uses hook_retries_due_idx, hook_retries_untried_idx, hook_retries_pkey, hook_failures_pkey
-- @not_null pulse: a text at least empty
prepare get_workspace_pulse (integer) as
with moment as (
  select now() - make_interval(secs => $1) as latest
)
select concat_ws(' ', feed_state.head,
  (select count_unsequenced.since <= moment.latest from count_unsequenced(1)),
  (select md5(string_agg(
    concat_ws(' ', hook_subscriptions.xmin, hook_positions.cursor, hook_backlogs.owned, hook_backlogs.due_since <= moment.latest), ','
    order by hook_positions.no))
  from hook_backlogs
  join hook_subscriptions on hook_subscriptions.id = hook_backlogs.subscription_id
  join hook_positions on hook_positions.no = hook_backlogs.no),
  (select concat(count(*), '/', sum(waiting.attempts))
  from (select hook_retries.attempts from hook_retries order by hook_retries.no, hook_retries.cursor limit 1000) as waiting),
  (select count(*) from (select from hook_failures order by hook_failures.no, hook_failures.cursor limit 1000) as failed),
  (select concat(count(*), '/', sum(hook_skips.from_cursor)) from hook_skips)) as pulse
from feed_state, moment;
