-- How far some events came, for the owner: a row for each of them and each state, with how many subscriptions it is in that
-- state at. subscription_id is one of these. paused_by: failures or owner, where the event waits at a subscription that is paused.
--
-- $1 cursors
--
-- @uses event_cursors_pkey, hook_positions_subscription_id_key, hook_attempts_pkey, hook_retries_pkey, hook_failures_pkey, hook_skips_pkey
-- @not_null cursor, state, subscriptions, subscription_id: where the event never was to be delivered there is no row
prepare count_event_receivers (bigint[]) as
select receiver.cursor, receiver.state, receiver.paused_by, count(*)::integer as subscriptions, (array_agg(receiver.subscription_id))[1] as subscription_id
from (
  select receivers.cursor, receivers.state, receivers.subscription_id,
    case
      when receivers.state <> 'pending' or hook_subscriptions.active then null
      when hook_subscriptions.pause_reason is null then 'failures'
      else 'owner'
    end as paused_by
  from event_receivers($1) as receivers
  join hook_subscriptions on hook_subscriptions.id = receivers.subscription_id
  where receivers.state is not null
) as receiver
group by receiver.cursor, receiver.state, receiver.paused_by;
