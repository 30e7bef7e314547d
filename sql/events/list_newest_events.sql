-- Events of some types, newest first, with whom each is about, for the owner: of the whole feed, or of some cursors.
-- Each type is walked backwards along its own index, as in get_event_page; each event is a look by itself, whatever
-- statistics the log has.
--
-- $1 cursors?     null: of the whole feed
-- $2 event_types  without duplicates
-- $3 before?      only older ones: a cursor; null: from the newest
-- $4 row_limit
--
-- @uses event_cursors_type_idx, event_cursors_pkey, events_pkey
prepare list_newest_events (bigint[], text[], bigint, integer) as
with found as (
  (select newest.cursor, newest.log_id
  from unnest($2) as wanted (event_type)
  cross join lateral (
    select event_cursors.cursor, event_cursors.log_id
    from event_cursors
    where (event_cursors.event_type, event_cursors.cursor) >= (wanted.event_type, 0)
      and (event_cursors.event_type, event_cursors.cursor) < (wanted.event_type, coalesce($3, 9223372036854775807))
      and event_cursors.cursor > (select feed.horizon from feed)
    order by event_cursors.event_type desc, event_cursors.cursor desc
    limit $4
  ) as newest
  where $1 is null
  order by newest.cursor desc
  limit $4)
  union all
  (select event_cursors.cursor, event_cursors.log_id
  from event_cursors
  where event_cursors.cursor = any ($1) and event_cursors.cursor < coalesce($3, 9223372036854775807)
    and event_cursors.cursor > (select feed.horizon from feed) and event_cursors.event_type = any ($2)
  order by event_cursors.cursor desc
  limit $4)
)
select found.cursor, event.id, event.event_type, event.occurred_at, event.object_type, event.object_id, event.person
from found
cross join lateral (
  select events.id, events.event_type, events.occurred_at, events.object_type, events.object_id,
    event_person(events.object_type, events.object_id, events.links, events.data) as person
  from events
  where events.log_id = found.log_id
  limit 1
) as event
order by found.cursor desc;
