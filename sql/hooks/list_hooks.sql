-- Every webhook subscription, newest first. No secrets.
--
-- Reads the whole table: there are at most HOOKS_MAX.
prepare list_hooks as
select id, target_url, event_types, label, source, active, created_at
from hook_subscriptions
order by created_at desc, id desc;
