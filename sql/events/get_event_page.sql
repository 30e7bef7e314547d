-- One page of the feed in cursor order, with the feed's bounds in the same snapshot. Always one row.
-- next_cursor is the last position scanned: the last event's on a full page, else the head.
-- data holds one event per line, so that a stream can send them one by one.
--
-- $1 after      null: from the oldest event there is
-- $2 row_limit
--
-- Planned once.
-- Uses events_pkey.
prepare get_event_page (bigint, integer) as
with page as (
  select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type,
    events.object_id, events.links, events.data, events.cursor
  from events
  where events.cursor > (select coalesce($1, feed.horizon) from feed)
    and events.cursor <= (select feed.head from feed)
  order by events.cursor
  limit $2
),
summary as (
  select count(*)::integer as count, max(page.cursor) as last_cursor,
    '[' || coalesce(string_agg(row_to_json(page)::text, e',\n' order by page.cursor), '') || ']' as data
  from page
)
select feed.horizon, feed.head, summary.count,
  case when summary.count = $2 then summary.last_cursor else greatest(feed.head, $1) end as next_cursor,
  summary.data
from feed, summary;
