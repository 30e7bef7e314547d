-- Gives back, unsent, all that was taken under a claim: its answer was lost on the way to the process.
--
-- $1 claim
--
-- Uses hook_leases_pkey, hook_positions_pkey, hook_queue_due_idx and hook_queue_pkey: reads all that is due later, which is
-- what is claimed and what waits for another attempt.
prepare update_deliveries_released (uuid) as
with lease as (
  delete from hook_leases
  where hook_leases.claim = $1
  returning hook_leases.subscription_id, hook_leases.first_id, hook_leases.last_id
),
in_turn as (
  select found.id
  from lease
  cross join lateral (
    select hook_queue.id
    from hook_queue
    where hook_queue.subscription_id = lease.subscription_id and hook_queue.due_at is null
      and hook_queue.id between lease.first_id and lease.last_id
    order by hook_queue.due_at, hook_queue.id
    -- As in claim_deliveries.
    limit 10000
  ) as found
),
by_clock as (
  select found.id
  from hook_positions
  cross join lateral (
    select hook_queue.id
    from hook_queue
    where hook_queue.subscription_id = hook_positions.subscription_id and hook_queue.due_at > now()
      and hook_queue.claim = $1
    order by hook_queue.due_at, hook_queue.id
    -- As in claim_deliveries.
    limit 10000
  ) as found
)
update hook_queue
set claim = null, due_at = now()
where hook_queue.id = any (array(select in_turn.id from in_turn union all select by_clock.id from by_clock))
  and (hook_queue.due_at is null or hook_queue.claim = $1);
