-- What waits while no process works, for the banner on every page: since when events wait for their cursor, and since when
-- something waits for a subscription that no live process delivers to.
--
-- A look for each type of each subscription.
--
-- @uses event_cursors_pkey, events_pkey, event_cursors_type_idx, hook_positions_subscription_id_key
-- @uses hook_retries_due_idx, hook_retries_untried_idx
-- @not_null at: the clock
prepare get_worker_state as
select count_unsequenced.since as unsequenced_since,
  (select min(hook_backlogs.unowned_since) from hook_backlogs where hook_backlogs.active) as unowned_since,
  now() as at
from count_unsequenced(1);
