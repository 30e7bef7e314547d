-- Lets the new signing secret lead, before the overlap of a rotation ends. One row if the old one led.
--
-- $1 id
--
-- @uses hook_subscriptions_pkey
prepare update_hook_secret_switched (uuid) as
update hook_subscriptions
set old_secret_leads = false
where hook_subscriptions.id = $1 and hook_subscriptions.deleted_at is null and hook_subscriptions.old_secret_leads
returning hook_subscriptions.id;
