-- Who gets some events, for the owner: a row for each of them and each subscription that lists its type, with how far that
-- came. state is null where the event never was to be delivered: the subscription was made, or lists the type, only since.
--
-- $1 cursors
--
-- @uses event_cursors_pkey, hook_positions_subscription_id_key, hook_attempts_pkey, hook_retries_pkey, hook_failures_pkey, hook_skips_pkey
-- @not_null cursor: of the event
prepare list_event_receivers (bigint[]) as
select receivers.cursor, hook_subscriptions.id as subscription_id, receivers.state, receivers.ended_at
from event_receivers($1) as receivers
join hook_subscriptions on hook_subscriptions.id = receivers.subscription_id
order by receivers.cursor desc, hook_subscriptions.created_at desc, hook_subscriptions.id desc;
