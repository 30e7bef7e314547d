-- Deletes a webhook subscription. Its worker stops sending at the next claim.
--
-- $1 id
--
-- @uses hook_subscriptions_pkey
prepare delete_hook (uuid) as
delete from hook_subscriptions
where id = $1
returning id;
