-- Which of some attempts are recorded: asked when the connection was lost under the statement that recorded them.
--
-- $1 nos
-- $2 cursors
-- $3 started_at
--
-- @uses hook_attempts_pkey
prepare list_recorded_attempts (integer[], bigint[], timestamptz[]) as
select hook_attempts.no, hook_attempts.cursor
from unnest($1, $2, $3) as ended (no, cursor, started_at)
join hook_attempts on hook_attempts.no = ended.no and hook_attempts.cursor = ended.cursor and hook_attempts.started_at = ended.started_at;
