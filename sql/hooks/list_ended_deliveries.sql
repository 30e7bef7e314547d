-- What ended above cursors, or waits for its moment: after a take-over it is not sent again. One row per delivery.
-- Of attempts only those that delivered: what follows from another one stands in hook_retries or hook_failures, unless its
-- worker had lost the subscription by then.
--
-- $1 nos
-- $2 cursors
-- $3 up_to
--
-- @uses hook_attempts_pkey, hook_retries_pkey, hook_failures_pkey
prepare list_ended_deliveries (integer[], bigint[], bigint[]) as
select ended.no, ended.cursor
from unnest($1, $2, $3) as ranges (no, cursor, up_to)
-- A look for each range, in the order of the one index that serves.
cross join lateral (
  (
    select hook_attempts.no, hook_attempts.cursor
    from hook_attempts
    where hook_attempts.no = ranges.no and hook_attempts.cursor > ranges.cursor and hook_attempts.cursor <= ranges.up_to
      and hook_attempts.outcome = 'd'
    order by hook_attempts.cursor
  )
  union
  (
    select hook_retries.no, hook_retries.cursor
    from hook_retries
    where hook_retries.no = ranges.no and hook_retries.cursor > ranges.cursor and hook_retries.cursor <= ranges.up_to
    order by hook_retries.cursor
  )
  union
  (
    select hook_failures.no, hook_failures.cursor
    from hook_failures
    where hook_failures.no = ranges.no and hook_failures.cursor > ranges.cursor and hook_failures.cursor <= ranges.up_to
    order by hook_failures.cursor
  )
) as ended;
