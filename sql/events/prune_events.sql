-- Drops expired partitions of the feed, moves the horizon and prepares the partitions to come. One row.
-- Takes the feed's lock, then the lock of events that drop needs: run it with a short lock_timeout and again later.
--
-- $1 keep_seconds
-- $2 at            null: the database clock
prepare prune_events (bigint, timestamptz) as
select pruned.horizon, pruned.partitions_dropped
from prune_events(make_interval(secs => $1), coalesce($2, clock_timestamp())) as pruned;
