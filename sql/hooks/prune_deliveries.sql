-- Deletes a batch of attempts to deliver events that have expired, and behind the last one what else is left of
-- deliveries. One row; fewer than row_limit: that was all.
--
-- $1 row_limit
--
-- @uses hook_attempts_pkey, hook_outstanding_failed_idx
-- @not_null pruned
prepare prune_deliveries (integer) as
select prune_deliveries($1) as pruned;
