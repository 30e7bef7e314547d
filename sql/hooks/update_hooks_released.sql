-- Gives subscriptions back: another process takes them at once. Without a list: all of a process that ends.
--
-- $1 worker
-- $2 nos?      null: all, and the process with them
-- $3 leaving   the process ends: it counts in no share any more, and its lease lasts while it waits for responses
-- $4 lease_ms
-- $5 lock_key?  of one that ends and waits: its session holds this lock now, see claim_subscriptions
--
-- Reads all of hook_positions.
--
-- @uses hook_workers_pkey
prepare update_hooks_released (uuid, integer[], boolean, integer, integer) as
with ended as (
  delete from hook_workers
  where hook_workers.id = $1 and $2 is null
),
leaving as (
  update hook_workers
  set leaving = true, lease_until = clock_timestamp() + $4 * interval '1 millisecond', lock_key = $5, missed_at = null,
    server_started_at = pg_postmaster_start_time(),
    session_at = case when hook_workers.lock_key is distinct from $5 then clock_timestamp() else hook_workers.session_at end
  where hook_workers.id = $1 and $2 is not null and $3
),
-- In the order of all who lock several.
locked as materialized (
  select hook_positions.no
  from hook_positions
  where hook_positions.worker = $1 and ($2 is null or hook_positions.no = any ($2))
  order by hook_positions.no
  for no key update
),
released as (
  update hook_positions
  set worker = null
  where hook_positions.no = any (array(select locked.no from locked)) and hook_positions.worker = $1
  returning hook_positions.no
)
select count(released.no)::integer as released, pg_notify('hooks_changed', '')::text as notified
from released;
