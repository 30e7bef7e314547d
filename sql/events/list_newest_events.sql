-- The newest events of some types, newest first, without their payloads, for the owner.
-- Each type is walked backwards along its own index, as in get_event_page_by_types.
--
-- $1 event_types  without duplicates
-- $2 before       only older ones: a cursor; null: from the newest
-- $3 row_limit
--
-- Uses events_type_idx, then events_pkey.
prepare list_newest_events (text[], bigint, integer) as
with chosen as (
  select newest.cursor
  from unnest($1) as wanted (event_type)
  cross join lateral (
    select events.cursor
    from events
    where (events.event_type, events.cursor) >= (wanted.event_type, 0)
      and (events.event_type, events.cursor) < (wanted.event_type, coalesce($2, 9223372036854775807))
      and events.cursor > (select feed.horizon from feed)
    order by events.event_type desc, events.cursor desc
    limit $3
  ) as newest
  order by newest.cursor desc
  limit $3
)
select events.cursor, events.id, events.event_type, events.occurred_at, events.object_type, events.object_id
from chosen
join events on events.cursor = chosen.cursor
order by events.cursor desc;
