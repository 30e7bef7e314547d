-- Sends deliveries that have ended again, see redeliver. A row for each with what became of it.
--
-- $1 subscription_id
-- $2 cursors
--
-- @uses hook_outstanding_pkey, event_cursors_pkey
-- @not_null cursor, state
prepare update_hook_redelivered (uuid, bigint[]) as
select redelivered.cursor, redelivered.state
from redeliver($1, $2) as redelivered
order by redelivered.cursor;
