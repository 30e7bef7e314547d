-- Deliveries of one subscription whose next attempt is due, the one that waits longest first. What cannot be sent any more,
-- because its event was erased, has expired or is of a type that is no longer listed, goes and comes without a body.
--
-- $1 subscription_id
-- $2 event_types
-- $3 row_limit
-- $4 bytes_max       of bodies; one comes in any case
--
-- @uses hook_outstanding_due_idx, event_cursors_pkey, events_pkey
-- @not_null cursor, attempts: of hook_outstanding
prepare claim_due_deliveries (uuid, text[], integer, integer) as
with due as (
  select hook_outstanding.cursor, hook_outstanding.attempts, hook_outstanding.due_at, events.log_id,
    sum(coalesce(events.bytes, 0)) over (order by hook_outstanding.due_at, hook_outstanding.cursor)
      - coalesce(events.bytes, 0) as bytes_before
  from (
    select hook_outstanding.cursor, hook_outstanding.attempts, hook_outstanding.due_at
    from hook_outstanding
    where hook_outstanding.subscription_id = $1 and hook_outstanding.due_at <= now()
    order by hook_outstanding.due_at, hook_outstanding.cursor
    limit $3
  ) as hook_outstanding
  left join event_cursors on event_cursors.cursor = hook_outstanding.cursor
  left join events on events.log_id = event_cursors.log_id and events.event_type = any ($2)
), gone as (
  delete from hook_outstanding
  using due
  where hook_outstanding.subscription_id = $1 and hook_outstanding.cursor = due.cursor and due.log_id is null
)
select due.cursor, due.attempts, events.id as event_id, events.event_type,
  (extract(epoch from events.occurred_at) * 1000)::bigint as occurred_ms, event_body(events) as body
from due
left join events on events.log_id = due.log_id
where due.bytes_before < $4
order by due.due_at, due.cursor;
