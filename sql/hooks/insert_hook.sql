-- Adds a webhook subscription, unless there are subscriptions_max already: then no row. Exact under concurrency:
-- hooks_below_max lets one transaction at a time count and insert. It begins at the head that the statement sees:
-- events that are committed later get a cursor above it.
--
-- $1 id                 made by the caller: the secret is bound to it
-- $2 target_url
-- $3 event_types
-- $4 label?
-- $5 source
-- $6 secret             encrypted
-- $7 subscriptions_max
--
-- @uses event_cursors_pkey
-- @not_null subscription: json_build_object is never null
prepare insert_hook (uuid, text, text[], text, text, text, integer) as
insert into hook_subscriptions (id, target_url, event_types, label, source, secret, cursor)
select $1, $2, $3, $4, $5, $6, (select feed_state.head from feed_state)
where hooks_below_max($7)
returning json_build_object('id', id, 'target_url', target_url, 'event_types', event_types, 'label', label,
  'source', source, 'active', active, 'created_at', moment(created_at), 'paused_at', moment(paused_at),
  'consecutive_failures', consecutive_failures, 'cursor', cursor)::text as subscription;
