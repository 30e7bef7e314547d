-- Changes target, event types and label of a subscription. A trigger notifies the workers.
--
-- $1 id
-- $2 target_url
-- $3 event_types
-- $4 label?
--
-- @uses hook_subscriptions_pkey
prepare update_hook (uuid, text, text[], text) as
update hook_subscriptions
set target_url = $2, event_types = $3, label = $4
where id = $1 and deleted_at is null
returning id;
