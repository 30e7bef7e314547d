-- The next events of one subscription, oldest first, with the exact bodies to send. Without those that were delivered
-- or stand in hook_outstanding. The last row has the cursor up to which this is all there is; at_head: that is the
-- head. Each event, delivery and outstanding row is looked up by its key: as a join the planner would read them all.
--
-- $1 subscription_id
-- $2 after
-- $3 event_types
-- $4 replayed_version  deliveries under an older version of the subscription do not count
-- $5 row_limit
-- $6 bytes_max         of bodies; one event comes in any case
--
-- @planned with values: a plan that was made while hook_attempts was empty would read all of it for each event
-- @uses event_cursors_type_idx, events_pkey, hook_outstanding_pkey, hook_attempts_pkey
-- @not_null cursor, is_last: of the feed, or the head
prepare list_delivery_page (uuid, bigint, text[], integer, integer, integer) as
with scanned as (
  select of_type.cursor, of_type.log_id
  from unnest($3) as wanted (event_type)
  cross join lateral (
    select event_cursors.cursor, event_cursors.log_id
    from event_cursors
    where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, $2)
      and (event_cursors.event_type, event_cursors.cursor)
        <= (wanted.event_type, (select feed_state.head from feed_state))
    order by event_cursors.event_type, event_cursors.cursor
    limit $5
  ) as of_type
  order by of_type.cursor
  limit $5
), page as (
  select scanned.cursor, found.event,
    sum(coalesce((found.event).bytes, 0)) over (order by scanned.cursor)
      - coalesce((found.event).bytes, 0) as bytes_before
  from scanned
  left join lateral (select events as event from events where events.log_id = scanned.log_id limit 1) as found on true
)
select page.cursor, (page.event).id as event_id, (page.event).event_type,
  (extract(epoch from (page.event).occurred_at) * 1000)::bigint as occurred_ms, event_body(page.event) as body,
  false as is_last, null::boolean as at_head
from page
where page.bytes_before < $6 and (page.event).id is not null
  and (select hook_outstanding.cursor from hook_outstanding
    where hook_outstanding.subscription_id = $1 and hook_outstanding.cursor = page.cursor) is null
  and (select hook_attempts.cursor from hook_attempts
    where hook_attempts.subscription_id = $1 and hook_attempts.cursor = page.cursor
      and hook_attempts.outcome = 'd' and hook_attempts.version >= $4
    limit 1) is null
union all
select case when cut.at_head then greatest((select feed_state.head from feed_state), $2) else cut.cursor end,
  null, null, null, null, true, cut.at_head
from (
  select max(page.cursor) filter (where page.bytes_before < $6) as cursor,
    count(*) < $5 and count(*) filter (where page.bytes_before >= $6) = 0 as at_head
  from page
) as cut
order by is_last, cursor;
