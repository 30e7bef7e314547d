-- Sends deliveries that have ended again, see redeliver. A row for each with what became of it.
--
-- $1 subscription_id
-- $2 cursors?  null: the oldest that failed for good, row_limit of them
-- $3 row_limit
--
-- @uses hook_outstanding_pkey, hook_outstanding_failed_idx, event_cursors_pkey
-- @not_null cursor, state
prepare update_hook_redelivered (uuid, bigint[], integer) as
select redelivered.cursor, redelivered.state
from redeliver($1, coalesce($2, array(
  select hook_outstanding.cursor
  from hook_outstanding
  where hook_outstanding.subscription_id = $1 and hook_outstanding.due_at is null
  order by hook_outstanding.cursor
  limit $3))) as redelivered
order by redelivered.cursor;
