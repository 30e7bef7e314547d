-- Where one subscription is sent to and what signs it: for a test event. One row, or none: there is no such
-- subscription.
--
-- $1 id
--
-- @uses hook_subscriptions_pkey
-- @not_null target_url, secret: null in deleted rows alone
prepare get_hook_target (uuid) as
select id, target_url, event_types, secret, old_secret, old_secret_until, old_secret_leads
from hook_subscriptions
where id = $1 and deleted_at is null;
