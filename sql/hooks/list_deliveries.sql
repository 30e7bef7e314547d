-- Deliveries to one subscription in one state, newest first, for the owner.
--
-- $1 subscription_id
-- $2 state
-- $3 before           only older ones: the id of a delivery; null: from the newest
-- $4 row_limit
--
-- Uses hook_deliveries_state_idx and events_pkey.
prepare list_deliveries (uuid, text, bigint, integer) as
select hook_deliveries.id, hook_deliveries.cursor, hook_deliveries.state, hook_deliveries.attempts,
  hook_deliveries.created_at, hook_deliveries.due_at, hook_deliveries.ended_at,
  coalesce(events.id, (hook_deliveries.test_event ->> 'id')::uuid) as event_id,
  coalesce(events.event_type, hook_deliveries.test_event ->> 'event_type') as event_type
from hook_deliveries
left join events on events.cursor = hook_deliveries.cursor
where hook_deliveries.subscription_id = $1
  and hook_deliveries.state = $2
  and hook_deliveries.id < coalesce($3, 9223372036854775807)
order by hook_deliveries.id desc
limit $4;
