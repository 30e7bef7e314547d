-- Deletes deliveries that ended and their attempts when they are older than events are kept, oldest first, some
-- at a time: to be repeated until one row says 0. What is still pending stays, and so does its event.
-- Looks at the oldest row_limit alone: while all of those are pending, nothing behind them goes.
--
-- $1 keep_seconds
-- $2 at            null: the database clock
-- $3 row_limit
--
-- Uses hook_deliveries_pkey and hook_attempts_pkey.
prepare prune_deliveries (bigint, timestamptz, integer) as
with oldest as (
  select hook_deliveries.id, hook_deliveries.created_at, hook_deliveries.state
  from hook_deliveries
  order by hook_deliveries.id
  limit $3
),
expired as (
  select oldest.id
  from oldest
  where oldest.created_at <= coalesce($2, now()) - make_interval(secs => $1) and oldest.state <> 'pending'
),
forgotten as (
  delete from hook_attempts
  -- As arrays, for which the index is the only way: the plan may have been made while the tables were empty.
  where hook_attempts.delivery_id = any (array(select expired.id from expired))
),
pruned as (
  delete from hook_deliveries
  where hook_deliveries.id = any (array(select expired.id from expired)) and hook_deliveries.state <> 'pending'
  returning hook_deliveries.id
)
select count(*)::integer as pruned
from pruned;
