-- One delivery with the event as it is sent, for the owner. event is null when it is erased or expired.
--
-- $1 id
--
-- Uses hook_queue_pkey, hook_outcomes_pkey and events_pkey.
prepare get_delivery (bigint) as
select hook_deliveries.id, hook_deliveries.subscription_id, hook_deliveries.cursor, hook_deliveries.state,
  hook_deliveries.attempts, hook_deliveries.created_at, hook_deliveries.due_at, hook_deliveries.ended_at,
  coalesce(row_to_json(event), hook_deliveries.test_event::json) as event
from hook_deliveries
left join lateral (
  select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type,
    events.object_id, events.links, events.data
  from events
  where events.cursor = hook_deliveries.cursor
) as event on true
where hook_deliveries.id = $1;
