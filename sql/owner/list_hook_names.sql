-- Every subscription by name, with whether it needs the owner: for the banner on every page. Newest first.
--
-- Reads the whole table: there are at most HOOKS_MAX.
prepare list_hook_names as
select hook_subscriptions.id, hook_subscriptions.label, hook_subscriptions.target_url, hook_subscriptions.event_types, hook_subscriptions.active,
  hook_subscriptions.consecutive_failures, hook_subscriptions.failing_since, hook_subscriptions.paused_at,
  hook_subscriptions.pause_reason
from hook_subscriptions
order by hook_subscriptions.created_at desc, hook_subscriptions.id desc;
