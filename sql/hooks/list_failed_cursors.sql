-- Deliveries of a subscription that failed for good, the oldest first.
--
-- $1 subscription_id
-- $2 row_limit
--
-- @uses hook_outstanding_failed_idx
prepare list_failed_cursors (uuid, integer) as
select hook_outstanding.cursor
from hook_outstanding
where hook_outstanding.subscription_id = $1 and hook_outstanding.due_at is null
order by hook_outstanding.cursor
limit $2;
