-- Deletes a batch of attempts that are older than the retention time, and what else expired of deliveries. One row;
-- fewer than row_limit: that was all.
--
-- $1 keep_seconds
-- $2 at?          null: the database clock
-- $3 row_limit
--
-- @uses hook_attempts_started_idx, hook_outstanding_failed_idx
-- @not_null pruned
prepare prune_deliveries (bigint, timestamptz, integer) as
select prune_deliveries($1 * interval '1 second', coalesce($2, now()), $3) as pruned;
