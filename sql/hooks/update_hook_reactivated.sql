-- Lets a paused subscription receive again, with its count of failures at 0. One row if it was paused.
--
-- $1 id
--
-- Uses hook_subscriptions_pkey.
prepare update_hook_reactivated (uuid) as
update hook_subscriptions
set active = true, paused_at = null, consecutive_failures = 0
where hook_subscriptions.id = $1 and not hook_subscriptions.active
returning hook_subscriptions.id;
