-- One delivery with the event as it is sent, for the owner: one row, or none where the subscription does not get the event.
-- event is null when it is erased or expired; due_at is null while it is being sent, or waits for its turn. retry_attempts are
-- those since it was made due, 0 where it is not. person: whom it is about; null: it names no person.
--
-- $1 subscription_id
-- $2 cursor           below 0: a test event
--
-- @uses hook_subscriptions_pkey, hook_retries_pkey, hook_failures_pkey, hook_skips_pkey, hook_attempts_pkey
-- @uses event_cursors_pkey, events_pkey, hook_test_events_pkey
-- @not_null subscription_id, cursor, state, retry_attempts: of the delivery itself; the outer joins are to its event and attempts
prepare get_delivery (uuid, bigint) as
with subscription as (
  select hook_subscriptions.id, hook_subscriptions.event_types, hook_positions.no, hook_positions.cursor, hook_positions.fence
  from hook_subscriptions
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where hook_subscriptions.id = $1
),
tried as (
  select bool_or(hook_attempts.outcome = 'd') as delivered, bool_or(hook_attempts.outcome = 'f') as failed,
    min(hook_attempts.started_at) as first_at,
    max(hook_attempts.started_at + hook_attempts.duration_ms * interval '1 millisecond') as last_at
  from hook_attempts
  where hook_attempts.no = (select subscription.no from subscription) and hook_attempts.cursor = $2
),
passed_over as (
  select hook_skips.catching_up
  from hook_skips
  where hook_skips.no = (select subscription.no from subscription) and hook_skips.to_cursor >= $2 and hook_skips.from_cursor < $2
  order by hook_skips.to_cursor
  limit 1
),
delivery as (
  select subscription.id as subscription_id,
    case
      when hook_retries.cursor is not null then 'pending'
      when hook_failures.cursor is not null then 'failed'
      when tried.delivered then 'delivered'
      when tried.failed then 'failed'
      when event_cursors.event_type <> all (subscription.event_types) then null
      -- Expired, and perhaps none of this subscription's.
      when event_cursors.cursor is null and tried.first_at is null then null
      when passed_over.catching_up then 'pending'
      when not passed_over.catching_up then 'skipped'
      when event_cursors.cursor > subscription.cursor then 'pending'
    end as state,
    coalesce(event_cursors.sequenced_at, hook_test_events.created_at, tried.first_at) as created_at,
    case when hook_retries.taken_by is distinct from subscription.fence then hook_retries.due_at end as due_at,
    coalesce(hook_retries.attempts, 0) as retry_attempts,
    tried.last_at, event_cursors.log_id, hook_test_events.envelope
  from subscription
  cross join tried
  left join passed_over on true
  left join event_cursors on event_cursors.cursor = $2
  left join hook_test_events on hook_test_events.cursor = $2 and hook_test_events.no = subscription.no
  left join hook_retries on hook_retries.no = subscription.no and hook_retries.cursor = $2
  left join hook_failures on hook_failures.no = subscription.no and hook_failures.cursor = $2
)
select delivery.subscription_id, $2 as cursor, delivery.state, delivery.created_at, delivery.due_at, delivery.retry_attempts,
  case when delivery.state = any (array['delivered', 'failed']) then delivery.last_at end as ended_at,
  coalesce(row_to_json(event), delivery.envelope::json) as event,
  event_person(coalesce(event.object_type, delivery.envelope ->> 'object_type'), coalesce(event.object_id, delivery.envelope ->> 'object_id'),
    coalesce(event.links, delivery.envelope -> 'links'), coalesce(event.data, delivery.envelope -> 'data')) as person
from delivery
left join lateral (
  select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type, events.object_id,
    events.links, events.data
  from events
  where events.log_id = delivery.log_id
) as event on true
where delivery.state is not null;
