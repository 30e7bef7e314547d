-- One event of the feed, as GET /events gives it, for the owner. None when it is erased or expired.
--
-- $1 cursor
--
-- @uses event_cursors_pkey, events_pkey
-- @not_null id, event_type, schema_version, object_type, object_id, links, data, cursor: through a view
-- @not_null occurred_at: written from columns that are not null
prepare get_event (bigint) as
select id, event_type, schema_version, moment(occurred_at) as occurred_at, object_type, object_id, links, data, cursor
from feed_events
where cursor = $1 and cursor > (select feed.horizon from feed);
