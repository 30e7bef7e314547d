-- Gives subscriptions back: another process takes them at once. Without subscriptions: all of a process that ends.
--
-- $1 worker
-- $2 nos?     null: all, and the process with them
-- $3 leaving  the process ends: it counts in no share any more
--
-- Reads all of hook_positions.
--
-- @uses hook_workers_pkey
prepare update_hooks_released (uuid, integer[], boolean) as
with ended as (
  delete from hook_workers
  where hook_workers.id = $1 and $2 is null
),
leaving as (
  update hook_workers
  set leaving = true
  where hook_workers.id = $1 and $2 is not null and $3 and not hook_workers.leaving
),
released as (
  update hook_positions
  set worker = null
  where hook_positions.worker = $1 and ($2 is null or hook_positions.no = any ($2))
  returning hook_positions.no
)
select count(released.no)::integer as released, pg_notify('hooks_changed', '')::text as notified
from released;
