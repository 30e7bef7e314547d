-- Changes where a webhook subscription sends, which events it gets and what it is called. Who delivers hears of it at once.
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
where id = $1
returning id;
