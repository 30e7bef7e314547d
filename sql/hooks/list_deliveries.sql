-- What the owner sees of some deliveries of one subscription, the newest event first. list_delivery_cursors and
-- list_matching_deliveries find them. attempts are all, also those before it was sent again.
--
-- $1 subscription_id
-- $2 cursors
-- $3 states           of each
--
-- @uses hook_attempts_pkey, hook_retries_pkey, event_cursors_pkey, events_pkey, hook_test_events_pkey
-- @not_null cursor, state, attempts: of the delivery itself; the outer joins are to its event and attempts
prepare list_deliveries (uuid, bigint[], text[]) as
with subscription as (
  select hook_positions.no, hook_positions.fence
  from hook_positions
  where hook_positions.subscription_id = $1
),
found as (
  select chosen.cursor, chosen.state
  from unnest($2, $3) as chosen (cursor, state)
)
select found.cursor, found.state, attempted.count as attempts,
  coalesce(event_cursors.sequenced_at, hook_test_events.created_at, last.started_at) as created_at,
  case when hook_retries.taken_by is distinct from subscription.fence then hook_retries.due_at end as due_at,
  case when found.state = any (array['delivered', 'failed']) then last.started_at + last.duration_ms * interval '1 millisecond' end as ended_at,
  last.status, last.error_class, last.duration_ms,
  coalesce(events.id, (hook_test_events.envelope ->> 'id')::uuid) as event_id,
  coalesce(event_cursors.event_type, hook_test_events.envelope ->> 'event_type') as event_type,
  event_person(coalesce(events.object_type, hook_test_events.envelope ->> 'object_type'), coalesce(events.object_id, hook_test_events.envelope ->> 'object_id'),
    coalesce(events.links, hook_test_events.envelope -> 'links'), coalesce(events.data, hook_test_events.envelope -> 'data')) as person
from found
cross join subscription
left join hook_retries on hook_retries.no = subscription.no and hook_retries.cursor = found.cursor
left join event_cursors on event_cursors.cursor = found.cursor
left join events on events.log_id = event_cursors.log_id
left join hook_test_events on hook_test_events.cursor = found.cursor
cross join lateral (
  select count(*)::integer as count
  from hook_attempts
  where hook_attempts.no = subscription.no and hook_attempts.cursor = found.cursor
) as attempted
left join lateral (
  select hook_attempts.started_at, hook_attempts.duration_ms, hook_attempts.status, hook_attempts.error_class
  from hook_attempts
  where hook_attempts.no = subscription.no and hook_attempts.cursor = found.cursor
  order by hook_attempts.started_at desc
  limit 1
) as last on true
order by found.cursor desc;
