-- Deliveries of one subscription whose next attempt is due, the one that waits longest first. What cannot be sent any
-- more, because its event was erased, has expired or is of a type that is no longer listed, goes, and comes without a
-- body.
--
-- $1 subscription_id
-- $2 event_types
-- $3 row_limit
-- $4 bytes_max       of bodies; one comes in any case
--
-- @uses hook_outstanding_due_idx, event_cursors_pkey, events_pkey
-- @not_null cursor, attempts: of hook_outstanding
prepare claim_due_deliveries (uuid, text[], integer, integer) as
with waiting as materialized (
  select hook_outstanding.cursor, hook_outstanding.attempts, hook_outstanding.due_at
  from hook_outstanding
  where hook_outstanding.subscription_id = $1 and hook_outstanding.due_at <= now()
  order by hook_outstanding.due_at, hook_outstanding.cursor
  limit $3
), due as (
  select waiting.cursor, waiting.attempts, waiting.due_at, found.event,
    sum(coalesce((found.event).bytes, 0)) over (order by waiting.due_at, waiting.cursor)
      - coalesce((found.event).bytes, 0) as bytes_before
  from waiting
  left join lateral (
    select events as event
    from event_cursors
    join events on events.log_id = event_cursors.log_id
    where event_cursors.cursor = waiting.cursor and events.event_type = any ($2)
    limit 1
  ) as found on true
), gone as (
  delete from hook_outstanding
  where hook_outstanding.subscription_id = $1
    and hook_outstanding.cursor = any (array(
      select due.cursor from due where (due.event).id is null and due.bytes_before < $4))
)
select due.cursor, due.attempts, (due.event).id as event_id, (due.event).event_type,
  (extract(epoch from (due.event).occurred_at) * 1000)::bigint as occurred_ms, event_body(due.event) as body
from due
where due.bytes_before < $4
order by due.due_at, due.cursor;
