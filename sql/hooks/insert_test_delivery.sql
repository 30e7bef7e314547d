-- Puts a test event on its way to one active subscription: the sample of a type it lists, under an id of its own and with
-- a cursor below 0. One row, or none: the subscription is paused, deleted, or does not list the type.
--
-- $1 subscription_id
-- $2 event_type?      null: the first it lists
--
-- @uses hook_subscriptions_pkey
-- @adds hook_test_events_pkey, hook_retries_pkey
prepare insert_test_delivery (uuid, text) as
with made as (
  insert into hook_test_events (no, envelope)
  select hook_positions.no, row_to_json(event)::jsonb
  from hook_subscriptions
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  cross join lateral (
    select gen_random_uuid() as id, sample_events.event_type, sample_events.schema_version, now() as occurred_at,
      sample_events.object_type, sample_events.object_id, sample_events.links, sample_events.data
    from sample_events
    where sample_events.event_type = coalesce($2, hook_subscriptions.event_types[1])
      and sample_events.event_type = any (hook_subscriptions.event_types)
  ) as event
  where hook_subscriptions.id = $1 and hook_subscriptions.active
  returning hook_test_events.cursor, hook_test_events.no, hook_test_events.envelope ->> 'id' as event_id
),
due as (
  insert into hook_retries (no, cursor)
  select made.no, made.cursor
  from made
)
select made.cursor, made.event_id
from made
cross join lateral (select pg_notify('hooks_changed', '')) as notified;
