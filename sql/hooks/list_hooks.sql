-- Every webhook subscription, newest first. No secrets. cursor: up to it everything was delivered.
--
-- Reads the whole table: there are at most HOOKS_MAX.
-- @not_null target_url: null in deleted rows alone
-- @not_null cursor: greatest with the horizon
-- @not_null created_at: written from columns that are not null
prepare list_hooks as
select id, target_url, event_types, label, source, active, moment(created_at) as created_at,
  moment(paused_at) as paused_at, consecutive_failures,
  delivered_up_to(hook_subscriptions.id, hook_subscriptions.cursor) as cursor
from hook_subscriptions
where deleted_at is null
order by hook_subscriptions.created_at desc, hook_subscriptions.id desc;
