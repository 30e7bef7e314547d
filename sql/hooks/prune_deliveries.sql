-- Deletes deliveries that ended and their attempts when they are older than events are kept, oldest first, some
-- at a time: to be repeated until one row says 0. What is still pending stays, and so does its event.
-- On the way, positions of subscriptions that it found deleted an hour ago or longer, and that have nothing left.
--
-- $1 keep_seconds
-- $2 at            null: the database clock
-- $3 row_limit
--
-- Uses hook_outcomes_pkey, hook_other_attempts_pkey and hook_queue_due_idx;
-- reads all of hook_positions and hook_subscriptions.
prepare prune_deliveries (bigint, timestamptz, integer) as
with oldest as (
  select hook_outcomes.id, hook_outcomes.created_at
  from hook_outcomes
  order by hook_outcomes.id
  limit $3
),
expired as (
  select oldest.id
  from oldest
  where oldest.created_at <= coalesce($2, now()) - make_interval(secs => $1)
),
pruned as (
  delete from hook_outcomes
  -- As arrays, for which the index is the only way: the plan may have been made while the tables were empty.
  where hook_outcomes.id = any (array(select expired.id from expired))
  returning hook_outcomes.id
),
forgotten as (
  delete from hook_other_attempts
  where hook_other_attempts.delivery_id = any (array(select pruned.id from pruned))
),
deleted as (
  select hook_positions.subscription_id, hook_positions.closed_at
  from hook_positions
  where not exists (select from hook_subscriptions where hook_subscriptions.id = hook_positions.subscription_id)
),
closing as (
  update hook_positions
  set closed_at = coalesce($2, now())
  where hook_positions.subscription_id = any (array(
    select deleted.subscription_id from deleted where deleted.closed_at is null))
),
closed as (
  delete from hook_positions
  where hook_positions.subscription_id = any (array(
    select deleted.subscription_id
    from deleted
    where deleted.closed_at <= coalesce($2, now()) - interval '1 hour'
      -- One look into the index each.
      and (
        select hook_queue.id
        from hook_queue
        where hook_queue.subscription_id = deleted.subscription_id
        order by hook_queue.due_at, hook_queue.id
        limit 1
      ) is null))
)
select count(*)::integer as pruned
from pruned;
