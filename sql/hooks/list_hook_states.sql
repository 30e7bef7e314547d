-- Every subscription with how delivering to it goes, newest first, for the owner.
--
-- Reads the whole table: there are at most HOOKS_MAX. Uses hook_queue_due_idx and hook_outcomes_state_idx.
prepare list_hook_states as
select hook_subscriptions.id, hook_subscriptions.target_url, hook_subscriptions.event_types, hook_subscriptions.label,
  hook_subscriptions.source, hook_subscriptions.active, hook_subscriptions.created_at, hook_subscriptions.consecutive_failures,
  hook_subscriptions.failing_since, hook_subscriptions.paused_at, hook_subscriptions.old_secret_until,
  hook_subscriptions.old_secret_leads, catch_up_cursor(hook_subscriptions) as catch_up_cursor
from hook_subscriptions
order by hook_subscriptions.created_at desc, hook_subscriptions.id desc;
