-- Pauses a subscription for the owner, or acknowledges a pause after failures. Its position stays. An
-- empty reason keeps the earlier one: the form may be old.
--
-- $1 id
-- $2 reason perhaps empty
--
-- @uses hook_subscriptions_pkey
prepare update_hook_paused (uuid, text) as
update hook_subscriptions
set active = false,
  pause_reason = case when $2 = '' then coalesce(pause_reason, '') else $2 end
where id = $1 and deleted_at is null
returning id;
