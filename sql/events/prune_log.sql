-- Drops the partitions of the log that no cursor points to any more, and begins a new one where the present one is old. One
-- row. To be run after prune_events.
-- Fails with 55P03 when writers and readers do not let go within 200 ms; try again later.
--
-- $1 keep_seconds
-- $2 at?           null: the database clock
prepare prune_log (bigint, timestamptz) as
select prune_log(make_interval(secs => $1), coalesce($2, clock_timestamp())) as partitions_dropped;
