-- One page of the events of some types, in cursor order, with the feed's bounds in the same snapshot.
-- Each type is found along its own index, by cursor alone, and only the page's events are read: a rare type
-- costs no more than a common one. The rows are compared as (event_type, cursor), because only that leaves the
-- planner no other way: `event_type = …` lets it walk all cursors and filter.
-- Always one row; is_own, next_cursor and data as in get_event_page.
--
-- $1 after?       null: from the oldest event there is
-- $2 event_types  without duplicates
-- $3 row_limit
--
-- @planned once
-- @uses event_cursors_type_idx, events_pkey
-- @uses event_cursors_pkey: for the head
-- @not_null head, horizon: of the row of feed, through a view
-- @not_null is_own: coalesce ends with true
-- @not_null count: count is never null
-- @not_null next_cursor: a full page has a last event, and the head is never null
-- @not_null data: coalesce ends with an empty array
prepare get_event_page_by_types (bigint, text[], integer) as
with bounds as (
  select coalesce($1, feed_state.horizon) as after, feed_state.horizon, feed_state.head
  from feed_state
),
scanned as (
  select of_type.cursor, of_type.log_id
  from unnest($2) as wanted (event_type)
  cross join lateral (
    select event_cursors.cursor, event_cursors.log_id
    from event_cursors
    where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, (select bounds.after from bounds))
      and (event_cursors.event_type, event_cursors.cursor) <= (wanted.event_type, (select bounds.head from bounds))
      and event_cursors.cursor > (select bounds.after from bounds)
    order by event_cursors.event_type, event_cursors.cursor
    limit $3
  ) as of_type
  order by of_type.cursor
  limit $3
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
  case when reach.count = $3 then reach.last_cursor else greatest(bounds.head, $1) end as next_cursor,
  summary.data
from bounds, summary, reach;
