-- Drops the oldest day of attempts when it has expired, and what else is kept for the retention time: a day at a time, as the
-- clock may have jumped. One row: 1 if a day was dropped.
-- Fails with 55P03 when readers do not let go within 200 ms; try again later.
--
-- $1 keep_seconds
-- $2 at?           null: the database clock
prepare prune_attempts (bigint, timestamptz) as
select prune_attempts(make_interval(secs => $1), coalesce($2, clock_timestamp())) as pruned;
