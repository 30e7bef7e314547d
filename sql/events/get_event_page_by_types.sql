-- One page of the events of some types, in cursor order, with the feed's bounds in the same snapshot.
-- Each type is read along its own index and the results are merged, so a rare type costs no more than a
-- common one. Always one row; next_cursor as in get_event_page.
-- data holds one event per line, so that a stream can send them one by one.
--
-- $1 after        null: from the oldest event there is
-- $2 event_types  without duplicates
-- $3 row_limit
--
-- Uses events_type_idx.
prepare get_event_page_by_types (bigint, text[], integer) as
with page as (
  select event.id, event.event_type, event.schema_version, event.occurred_at, event.object_type,
    event.object_id, event.links, event.data, event.cursor
  from unnest($2) as wanted (event_type)
  cross join lateral (
    select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type,
      events.object_id, events.links, events.data, events.cursor
    from events
    where events.event_type = wanted.event_type
      and events.cursor > (select coalesce($1, feed.horizon) from feed)
      and events.cursor <= (select feed.head from feed)
    order by events.cursor
    limit $3
  ) as event
  order by event.cursor
  limit $3
),
summary as (
  select count(*)::integer as count, max(page.cursor) as last_cursor,
    '[' || coalesce(string_agg(row_to_json(page)::text, e',\n' order by page.cursor), '') || ']' as data
  from page
)
select feed.horizon, feed.head, summary.count,
  case when summary.count = $3 then summary.last_cursor else greatest(feed.head, $1) end as next_cursor,
  summary.data
from feed, summary;
