-- Takes the notices that are due, for one attempt each: if it fails, or the process dies, they are due again, until
-- they are a day old. One row per notice, with how its subscription fares now.
--
-- $1 retry_ms   until they are due again
-- $2 row_limit
--
-- Uses hook_subscriptions_pkey, and owner_notices_pkey. Reads all notices: there are three per failing subscription.
prepare claim_owner_notices (integer, integer) as
update owner_notices
set due_at = now() + $1 * interval '1 millisecond'
from hook_subscriptions
where owner_notices.id = any (array(
    select due.id
    from owner_notices as due
    where due.due_at <= now() and due.created_at > now() - interval '1 day'
    order by due.created_at, due.failures, due.id
    limit $2
    for update skip locked))
  and hook_subscriptions.id = owner_notices.subscription_id
returning owner_notices.id, owner_notices.failures, owner_notices.created_at, hook_subscriptions.id as subscription_id,
  hook_subscriptions.label, hook_subscriptions.target_url, hook_subscriptions.active, hook_subscriptions.failing_since,
  catch_up_cursor(hook_subscriptions) as catch_up_cursor;
