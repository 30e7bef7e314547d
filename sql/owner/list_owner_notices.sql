-- The last notices to the owner, newest first, with what came of them and the name of the webhook where there still
-- is one. One that was never tried shows only where an address is set up.
--
-- $1 is_set     whether an address is set up
-- $2 row_limit
--
-- @uses owner_notices_created_idx, hook_subscriptions_pkey
-- @not_null id, created_at, attempts, due_at: of the notice itself
prepare list_owner_notices (boolean, integer) as
select owner_notices.id, owner_notices.created_at, owner_notices.subscription_id, owner_notices.failures,
  owner_notices.attempts, owner_notices.due_at, owner_notices.sent_at, owner_notices.status, owner_notices.error_class,
  hook_name(hook_subscriptions.label, hook_subscriptions.target_url) as name
from owner_notices
left join hook_subscriptions on hook_subscriptions.id = owner_notices.subscription_id
where owner_notices.attempts > 0 or $1
order by owner_notices.created_at desc, owner_notices.id desc
limit $2;
