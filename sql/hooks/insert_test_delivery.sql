-- Puts a test event on its way to one active subscription: the sample of a type it lists, under an id of its own.
-- One row, or none: the subscription is paused, deleted, or does not list the type.
--
-- $1 subscription_id
-- $2 event_type       null: the first it lists
--
-- Uses hook_subscriptions_pkey; adds to hook_queue_pkey and hook_queue_due_idx.
prepare insert_test_delivery (uuid, text) as
insert into hook_queue (subscription_id, test_event, due_at)
select hook_subscriptions.id, row_to_json(event)::jsonb, now()
from hook_subscriptions
cross join lateral (
  select gen_random_uuid() as id, sample_events.event_type, sample_events.schema_version, now() as occurred_at,
    sample_events.object_type, sample_events.object_id, sample_events.links, sample_events.data
  from sample_events
  where sample_events.event_type = coalesce($2, hook_subscriptions.event_types[1])
    and sample_events.event_type = any (hook_subscriptions.event_types)
) as event
where hook_subscriptions.id = $1 and hook_subscriptions.active
returning hook_queue.id, hook_queue.test_event ->> 'id' as event_id;
