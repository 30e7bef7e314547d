-- Records attempts that delivered at the first try, and nothing else: what most attempts are. The primary key refuses the
-- same attempt (no, cursor, started_at) a second time; see list_recorded_attempts. Of an event that was erased meanwhile
-- nothing is kept.
--
-- $1 nos
-- $2 cursors
-- $3 fences
-- $4 started_at
-- $5 duration_ms
-- $6 statuses
-- $7 excerpts
--
-- @uses erased_events_pkey
-- @adds hook_attempts_pkey
prepare record_delivered (integer[], bigint[], integer[], timestamptz[], integer[], integer[], text[]) as
insert into hook_attempts (no, cursor, fence, started_at, duration_ms, attempt, status, outcome, excerpt)
select ended.no, ended.cursor, ended.fence, ended.started_at, ended.duration_ms, 1, ended.status, 'd', ended.excerpt
from unnest($1, $2, $3, $4, $5, $6, $7) as ended (no, cursor, fence, started_at, duration_ms, status, excerpt)
where ended.cursor <> all (array(select erased_events.cursor from erased_events));
