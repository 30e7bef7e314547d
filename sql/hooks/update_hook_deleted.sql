-- Ends a webhook subscription. The row stays for the retention time, without address and secret: the report of an
-- erasure names what it received. One row, or none: there is no such subscription.
--
-- $1 id
--
-- @uses hook_subscriptions_pkey
prepare update_hook_deleted (uuid) as
update hook_subscriptions
set deleted_at = now(), active = false, target_url = null, secret = null, old_secret = null, old_secret_until = null
where id = $1 and deleted_at is null
returning id;
