-- One page of the feed in cursor order, with the feed's bounds in the same snapshot. Always one row.
-- The page ends after $3 events, or before the event with which it would exceed $4 bytes; the first one is always on
-- it. No step reads the event behind that, so a page of large events costs what it holds. Each branch of scanned and
-- each event is found along one index, whatever the statistics are.
-- next_cursor is the last position scanned: the last cursor of a page that ended early, else the head. An erased event
-- takes its place on the page and is left out.
-- is_own is false after a restore or a failover until the sequencer has looked once, where $1 is beyond the head.
-- data holds one event per line, its cursor last, so that a stream can send them one by one.
--
-- $1 after?        null: from the oldest event there is
-- $2 event_types?  without duplicates; null: all
-- $3 row_limit
-- $4 bytes_max
--
-- @uses event_cursors_pkey, event_cursors_type_idx, events_pkey
-- @not_null head, horizon: of the row of feed, through a view
-- @not_null is_own: coalesce ends with true
-- @not_null count: count is never null
-- @not_null next_cursor: a page that ended early has a last event, and the head is never null
-- @not_null data: coalesce ends with an empty array
prepare get_event_page (bigint, text[], integer, integer) as
with recursive bounds as (
  select coalesce($1, feed_state.horizon) as after, feed_state.horizon, feed_state.head from feed_state
),
scanned as (
  select (array_agg(found.cursor order by found.cursor))[:$3] as cursors,
    (array_agg(found.log_id order by found.cursor))[:$3] as log_ids
  from bounds, lateral (
    (select event_cursors.cursor, event_cursors.log_id from event_cursors
    where $2 is null and event_cursors.cursor > bounds.after and event_cursors.cursor <= bounds.head
    order by event_cursors.cursor limit $3)
    union all
    select of_type.cursor, of_type.log_id
    from unnest($2) as wanted (event_type), lateral (
      select event_cursors.cursor, event_cursors.log_id from event_cursors
      -- Compared as a row: for `event_type = …` the planner may walk all cursors and filter.
      where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, bounds.after)
        and (event_cursors.event_type, event_cursors.cursor) <= (wanted.event_type, bounds.head)
      order by event_cursors.event_type, event_cursors.cursor limit $3
    ) as of_type
  ) as found
),
page as (
  select 0 as place, 0 as bytes, null::text as event
  union all
  select page.place + 1, page.bytes + coalesce(octet_length(logged.event), 0), logged.event
  from page
  join scanned on page.place < cardinality(scanned.cursors) and page.bytes < $4
  left join lateral (
    select row_to_json(envelope)::text as event from (
      select events.id, events.event_type, events.schema_version, moment(events.occurred_at) as occurred_at,
        events.object_type, events.object_id, events.links, events.data, scanned.cursors[page.place + 1] as cursor
      from events where events.log_id = scanned.log_ids[page.place + 1] limit 1
    ) as envelope
  ) as logged on true
)
select bounds.horizon, bounds.head, summary.count,
  $1 is null or $1 <= bounds.head or (select coalesce(feed.identity = database_identity(), true) from feed) as is_own,
  case when summary.place < cardinality(scanned.cursors) or cardinality(scanned.cursors) = $3
    then scanned.cursors[summary.place] else greatest(bounds.head, $1) end as next_cursor,
  '[' || coalesce(summary.events, '') || ']' as data
from bounds, scanned, (
  select max(page.place) as place, count(page.event)::integer as count,
    string_agg(page.event, e',\n' order by page.place) as events
  from page where page.bytes <= $4 or page.place <= 1
) as summary;
