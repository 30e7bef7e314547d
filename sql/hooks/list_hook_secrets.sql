-- The encrypted secrets that still sign, of all webhook subscriptions: checked at start that they can be opened.
--
-- Reads the whole table: there are at most HOOKS_MAX.
-- @not_null secret: null in deleted rows alone
prepare list_hook_secrets as
select id, secret, case when old_secret_until > now() then old_secret end as old_secret
from hook_subscriptions
where deleted_at is null
order by id;
