-- One page of the feed in cursor order, with the feed's bounds in the same snapshot. Always one row.
-- next_cursor is the last position scanned: the last cursor on a full page, else the head. An erased event takes its place
-- on the page and is left out.
-- is_own is false after a restore or a failover until the sequencer has looked once, where $1 is beyond the head.
-- data holds one event per line, so that a stream can send them one by one.
--
-- $1 after?     null: from the oldest event there is
-- $2 row_limit
--
-- @planned once
-- @uses event_cursors_pkey, events_pkey
-- @not_null head, horizon: of the row of feed, through a view
-- @not_null is_own: coalesce ends with true
-- @not_null count: count is never null
-- @not_null next_cursor: a full page has a last event, and the head is never null
-- @not_null data: coalesce ends with an empty array
prepare get_event_page (bigint, integer) as
with bounds as (
  select feed_state.head, feed_state.horizon
  from feed_state
),
scanned as (
  select event_cursors.cursor, event_cursors.log_id
  from event_cursors
  where event_cursors.cursor > (select coalesce($1, bounds.horizon) from bounds)
    and event_cursors.cursor <= (select bounds.head from bounds)
  order by event_cursors.cursor
  limit $2
),
page as (
  select event.id, event.event_type, event.schema_version, event.occurred_at, event.object_type, event.object_id,
    event.links, event.data, scanned.cursor
  from scanned
  -- A look for each, whatever the statistics say of the log.
  cross join lateral (
    select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type,
      events.object_id, events.links, events.data
    from events
    where events.log_id = scanned.log_id
    limit 1
  ) as event
),
summary as (
  select count(*)::integer as count,
    '[' || coalesce(string_agg(row_to_json(page)::text, e',\n' order by page.cursor), '') || ']' as data
  from page
),
reach as (
  select count(*) as count, max(scanned.cursor) as last_cursor
  from scanned
)
select bounds.horizon, bounds.head, summary.count,
  case when $1 > bounds.head then (select coalesce(feed.identity = database_identity(), true) from feed) else true end as is_own,
  case when reach.count = $2 then reach.last_cursor else greatest(bounds.head, $1) end as next_cursor,
  summary.data
from bounds, summary, reach;
