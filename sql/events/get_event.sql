-- One event of the feed, as GET /events gives it, for the owner. None when it is erased or expired.
--
-- $1 cursor
--
-- @uses event_cursors_pkey, events_pkey
-- @not_null occurred_at: written from columns that are not null
prepare get_event (bigint) as
select event.id, event.event_type, event.schema_version, moment(event.occurred_at) as occurred_at, event.object_type,
  event.object_id, event.links, event.data, event_cursors.cursor
from event_cursors
-- A look for each, whatever statistics the log has.
cross join lateral (
  select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type, events.object_id,
    events.links, events.data
  from events
  where events.log_id = event_cursors.log_id
  limit 1
) as event
where event_cursors.cursor = $1 and event_cursors.cursor > (select feed.horizon from feed);
