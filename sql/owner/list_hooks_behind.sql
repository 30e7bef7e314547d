-- Active subscriptions that a live process delivers to, and that have waited long for an event all the same: their
-- receivers do not answer, or not fast enough. The one that waits longest first.
--
-- $1 seconds    how long is long
-- $2 count_max  no more is counted
--
-- Reads all subscriptions: there are at most HOOKS_MAX.
--
-- @uses hook_positions_subscription_id_key, hook_retries_pkey, hook_retries_due_idx
-- @uses hook_retries_untried_idx, event_cursors_type_idx
-- @not_null pending: a count
prepare list_hooks_behind (integer, integer) as
select hook_subscriptions.id, hook_backlogs.due_since,
  least($2, count_in_turn(hook_positions.no, hook_subscriptions.event_types, hook_positions.cursor, $2)
    + (select count(*) from (select from hook_retries where hook_retries.no = hook_positions.no limit $2) as counted))::integer as pending
from hook_backlogs
join hook_subscriptions on hook_subscriptions.id = hook_backlogs.subscription_id
join hook_positions on hook_positions.no = hook_backlogs.no
where hook_backlogs.active and hook_backlogs.owned and hook_backlogs.due_since <= now() - make_interval(secs => $1)
order by hook_backlogs.due_since, hook_subscriptions.id;
