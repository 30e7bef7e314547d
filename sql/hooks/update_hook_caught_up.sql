-- Notes that an active subscription has got everything it missed put on its way. One row, unless nothing was missing.
--
-- $1 id
--
-- Uses hook_subscriptions_pkey.
prepare update_hook_caught_up (uuid) as
update hook_subscriptions
set missed_since = null, missed_cursor = null
where hook_subscriptions.id = $1 and hook_subscriptions.active and hook_subscriptions.missed_since is not null
returning hook_subscriptions.id;
