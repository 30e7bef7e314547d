-- Drops expired partitions of the feed, moves the horizon and prepares the partitions to come. One row.
-- Fails with 55P03 when readers do not let go within 200 ms; try again later.
--
-- $1 keep_seconds
-- $2 at?             null: the database clock
-- $3 uptime_seconds  how long the process has watched the time
prepare prune_events (bigint, timestamptz, bigint) as
select pruned.horizon, pruned.partitions_dropped, pruned.partitions_left
from prune_events(make_interval(secs => $1), coalesce($2, clock_timestamp()), make_interval(secs => $3)) as pruned;
