-- Deletes a batch of expired events with their cursors, oldest first, and moves the horizon. One row; deleted is 0 when
-- nothing is left. A run deletes the events of one day at most, in case the clock has jumped.
--
-- $1 keep_seconds
-- $2 at?          null: the database clock
-- $3 until?       expired_before of the batch before; null: a run begins
-- $4 row_limit
prepare prune_events (bigint, timestamptz, timestamptz, integer) as
select pruned.horizon, pruned.deleted, pruned.expired_before::text as expired_before
from prune_events(make_interval(secs => $1), coalesce($2, clock_timestamp()), $3, $4) as pruned;
