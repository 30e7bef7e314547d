-- Whether a process delivers to any subscription, for every page: where one does, get_worker_state need not be asked.
--
-- Ends at the first subscription that has one.
--
-- @uses hook_positions_subscription_id_key, event_cursors_type_idx
-- @not_null live: it is computed
prepare get_live_worker as
select exists (select from hook_backlogs where hook_backlogs.owned) as live;
