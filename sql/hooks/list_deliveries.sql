-- Deliveries of one subscription in one state, newest event first. attempts are all, also those before it was sent
-- again.
--
-- $1 subscription_id
-- $2 state      failed, waiting or delivered
-- $3 before?    cursor of the last one seen
-- $4 row_limit
--
-- @uses hook_outstanding_pkey, hook_attempts_pkey, event_cursors_pkey, events_pkey
-- @not_null cursor, attempts
prepare list_deliveries (uuid, text, bigint, integer) as
with found as (
  (select hook_outstanding.cursor, hook_outstanding.due_at
  from hook_outstanding
  where $2 <> 'delivered' and hook_outstanding.subscription_id = $1
    and (hook_outstanding.due_at is null) = ($2 = 'failed') and hook_outstanding.cursor < coalesce($3, 9007199254740991)
  order by hook_outstanding.cursor desc
  limit $4)
  union all
  (select distinct hook_attempts.cursor, null::timestamptz
  from hook_attempts
  where $2 = 'delivered' and hook_attempts.subscription_id = $1 and hook_attempts.outcome = 'd'
    and hook_attempts.cursor < coalesce($3, 9007199254740991)
    -- Sent again since then, and not delivered.
    and not exists (select from hook_outstanding
      where hook_outstanding.subscription_id = $1 and hook_outstanding.cursor = hook_attempts.cursor)
  order by hook_attempts.cursor desc
  limit $4)
)
select found.cursor, found.due_at, event_cursors.sequenced_at, events.id as event_id, event_cursors.event_type,
  (select count(*)::integer from hook_attempts
    where hook_attempts.subscription_id = $1 and hook_attempts.cursor = found.cursor) as attempts,
  last.started_at as tried_at, last.status, last.error_class, last.duration_ms, last.excerpt
from found
left join event_cursors on event_cursors.cursor = found.cursor
left join events on events.log_id = event_cursors.log_id
left join lateral (
  select hook_attempts.started_at, hook_attempts.status, hook_attempts.error_class, hook_attempts.duration_ms,
    hook_attempts.excerpt
  from hook_attempts
  where hook_attempts.subscription_id = $1 and hook_attempts.cursor = found.cursor
  order by hook_attempts.started_at desc
  limit 1
) as last on true
order by found.cursor desc;
