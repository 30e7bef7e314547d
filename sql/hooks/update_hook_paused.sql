-- Pauses a subscription for the owner, or acknowledges a pause after failures. Its position stays.
--
-- $1 id
-- $2 reason  perhaps empty
--
-- @uses hook_subscriptions_pkey
prepare update_hook_paused (uuid, text) as
update hook_subscriptions
set active = false, paused_at = coalesce(paused_at, now()), pause_reason = $2
where id = $1
returning id;
