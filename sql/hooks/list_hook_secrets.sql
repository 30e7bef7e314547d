-- The encrypted secrets of all webhook subscriptions, for the check at start that they can be opened.
--
-- Reads the whole table: there are at most HOOKS_MAX.
prepare list_hook_secrets as
select id, secret, old_secret
from hook_subscriptions
order by id;
