-- Ends a webhook subscription. Nothing more is sent to it: who delivers looks for the subscription first, so
-- what is on its way to it need not be touched here.
--
-- $1 id
--
-- @uses hook_subscriptions_pkey
prepare delete_hook (uuid) as
delete from hook_subscriptions
where id = $1
returning id;
