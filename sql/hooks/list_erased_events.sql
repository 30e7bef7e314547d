-- Which events above a cursor were erased within the last hour: asked after a claim, by a process that may have read them
-- before it.
--
-- $1 after
--
-- @uses erased_events_pkey
prepare list_erased_events (bigint) as
select erased_events.cursor
from erased_events
where erased_events.cursor > $1
order by erased_events.cursor;
