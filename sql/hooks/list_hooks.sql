-- Every webhook subscription, newest first. No secrets. cursor: up to it everything was delivered.
--
-- Reads the whole table: there are at most HOOKS_MAX.
-- @not_null target_url: null in deleted rows alone
-- @not_null cursor: greatest with the horizon
prepare list_hooks as
select id, target_url, event_types, label, source, active, created_at, paused_at, consecutive_failures,
  delivered_up_to(hook_subscriptions.id, hook_subscriptions.cursor) as cursor
from hook_subscriptions
where deleted_at is null
order by created_at desc, id desc;
