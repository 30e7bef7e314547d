-- Deliveries to one subscription in one state, newest first, for the owner.
--
-- $1 subscription_id
-- $2 state
-- $3 before           only older ones: the id of a delivery; null: from the newest
-- $4 row_limit
--
-- Uses hook_outcomes_state_idx, or hook_queue_due_idx, of which it reads all that is due by the clock; and events_pkey.
prepare list_deliveries (uuid, text, bigint, integer) as
with listed as (
  (select hook_outcomes.id, hook_outcomes.cursor, hook_outcomes.test_event, hook_outcomes.state, hook_outcomes.attempts,
    hook_outcomes.created_at, null::timestamptz as due_at, hook_outcomes.ended_at
  from hook_outcomes
  where hook_outcomes.subscription_id = $1 and hook_outcomes.state = $2
    and hook_outcomes.id < coalesce($3, 9223372036854775807)
  order by hook_outcomes.id desc
  limit $4)
  union all
  (select hook_queue.id, hook_queue.cursor, hook_queue.test_event, 'pending', hook_queue.attempts, hook_queue.created_at,
    hook_queue.created_at, null
  from hook_queue
  where $2 = 'pending' and hook_queue.subscription_id = $1 and hook_queue.due_at is null
    and hook_queue.id < coalesce($3, 9223372036854775807)
  order by hook_queue.due_at desc, hook_queue.id desc
  limit $4)
  union all
  (select hook_queue.id, hook_queue.cursor, hook_queue.test_event, 'pending', hook_queue.attempts, hook_queue.created_at,
    case when hook_queue.claim is null then hook_queue.due_at else hook_queue.created_at end, null
  from hook_queue
  where $2 = 'pending' and hook_queue.subscription_id = $1 and hook_queue.due_at is not null
    and hook_queue.id < coalesce($3, 9223372036854775807)
  order by hook_queue.id desc
  limit $4)
)
select listed.id, listed.cursor, listed.state, listed.attempts, listed.created_at, listed.due_at, listed.ended_at,
  coalesce(events.id, (listed.test_event ->> 'id')::uuid) as event_id,
  coalesce(events.event_type, listed.test_event ->> 'event_type') as event_type
from listed
left join events on events.cursor = listed.cursor
order by listed.id desc
limit $4;
