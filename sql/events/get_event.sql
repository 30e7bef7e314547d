-- One event of the feed, as GET /events gives it, for the owner. None when it is erased or expired.
--
-- $1 cursor
--
-- Uses events_pkey.
prepare get_event (bigint) as
select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type, events.object_id,
  events.links, events.data, events.cursor
from events
where events.cursor = $1 and events.cursor > (select feed.horizon from feed);
