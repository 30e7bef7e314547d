-- Events of some types above a cursor, with the exact bodies to send, for subscriptions that are behind what their worker
-- has in memory. One row per event, and a last one with the cursor up to which this is all there is.
-- A body is missing when its event was erased.
--
-- $1 after
-- $2 up_to?       null: the head
-- $3 event_types  without duplicates
-- $4 row_limit
-- $5 bytes_max    of their data as stored; one event comes in any case
--
-- @uses event_cursors_type_idx, events_pkey
-- @uses event_cursors_pkey: for the head
prepare list_log_events (bigint, bigint, text[], integer, integer) as
with bounds as (
  select least($2, feed_state.head) as head
  from feed_state
),
scanned as (
  select of_type.cursor, of_type.event_type, of_type.log_id
  from unnest($3) as wanted (event_type)
  cross join lateral (
    select event_cursors.cursor, event_cursors.event_type, event_cursors.log_id
    from event_cursors
    where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, $1)
      and (event_cursors.event_type, event_cursors.cursor) <= (wanted.event_type, (select bounds.head from bounds))
      and event_cursors.cursor > $1
    order by event_cursors.event_type, event_cursors.cursor
    limit $4
  ) as of_type
  order by of_type.cursor
  limit $4
),
logged as (
  select scanned.cursor, scanned.event_type as listed_type, event.id, event.event_type, event.schema_version, event.occurred_at,
    event.object_type, event.object_id, event.links, event.data,
    sum(pg_column_size(event.data)) over (order by scanned.cursor rows between unbounded preceding and 1 preceding) as bytes_before
  from scanned
  left join lateral (
    select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type, events.object_id,
      events.links, events.data
    from events
    where events.log_id = scanned.log_id
    -- One look for each: the planner is not to read all of the log instead.
    offset 0
  ) as event on true
),
page as (
  select cursor, listed_type, id, event_type, schema_version, occurred_at, object_type, object_id, links, data
  from logged
  where coalesce(logged.bytes_before, 0) < $5
),
counted as (
  select (select count(*) from scanned) as scanned, count(*) as kept, max(page.cursor) as last
  from page
)
select page.cursor, page.listed_type as event_type, page.id as event_id, (extract(epoch from page.occurred_at) * 1000)::bigint as occurred_ms,
  case when page.id is not null then row_to_json(envelope)::text end as body
from page
cross join lateral (
  select page.id, page.event_type, page.schema_version, page.occurred_at, page.object_type, page.object_id, page.links, page.data
) as envelope
union all
select case when counted.kept = $4 or counted.kept < counted.scanned then counted.last else greatest(bounds.head, $1) end, null, null, null, null
from bounds
cross join counted;
