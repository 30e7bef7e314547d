-- How far some events came, for the owner: a row for each of them and each state, with how many subscriptions it is in that
-- state at. subscription_id is one of these.
--
-- $1 cursors
--
-- @uses event_cursors_pkey, hook_positions_subscription_id_key, hook_attempts_pkey, hook_retries_pkey, hook_failures_pkey, hook_skips_pkey
-- @not_null cursor, state, subscriptions, subscription_id: where the event never was to be delivered there is no row
prepare count_event_receivers (bigint[]) as
select receivers.cursor, receivers.state, count(*)::integer as subscriptions, (array_agg(receivers.subscription_id))[1] as subscription_id
from event_receivers($1) as receivers
where receivers.state is not null
group by receivers.cursor, receivers.state;
