-- Renews the lease of a process that delivers, takes its fair share of the subscriptions that no live process owns, and
-- answers with all it owns, a row each. A process is alive while its lease lasts and its session holds its lock. Where
-- one of the two is missing, it keeps its subscriptions for patience_ms after another process first saw that, and counts
-- in no share: a session that was cut comes back, and after the database stalled every lease is over until its process
-- asks again. A new worker raises the fence.
-- surplus: another process is to have it; release it when nothing is under way.
-- retries: how many wait for their moment, counted as far as new events go on (retriesWaitingMax in src/delivery/dispatch.ts);
-- of what is known, whether there is one.
--
-- $1 worker
-- $2 lock_key?    its session holds the advisory lock (20230, lock_key); null: it has no session of its own
-- $3 lease_ms
-- $4 patience_ms  for so long, since this was first noticed on this server, another process may be without its lease or its session
-- $5 lost_ms?     so long ago this process lost its own session or lease; null: not lately
-- $6 lost_patience_ms  the patience with those that have had no new session since then, or have neither lease nor session: the
--                      database was away for them, and this process may have begun since
-- $7 known_nos    answered without what does not change while the fence is the same
-- $8 known_fences
--
-- Reads all of hook_workers, hook_positions and hook_subscriptions.
--
-- @uses hook_workers_pkey, hook_positions_pkey, hook_retries_due_idx, event_cursors_pkey
prepare claim_subscriptions (uuid, integer, integer, integer, integer, integer, integer[], integer[]) as
with renewed as (
  insert into hook_workers (id, lock_key, lease_until)
  -- Not from the beginning of the statement, which may have waited for a lock.
  values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
  on conflict (id) do update set lock_key = excluded.lock_key, lease_until = excluded.lease_until,
    server_started_at = pg_postmaster_start_time(), missed_at = null,
    session_at = case when hook_workers.lock_key is distinct from excluded.lock_key then clock_timestamp() else hook_workers.session_at end
  -- At most a few rows a minute, whatever this is called for.
  where hook_workers.lease_until < clock_timestamp() + $3 * interval '0.7 milliseconds'
    or hook_workers.lock_key is distinct from excluded.lock_key or hook_workers.missed_at is not null
    or hook_workers.server_started_at <> pg_postmaster_start_time()
),
-- What was missed before a restart is missed from now on: it cannot have a session on the new server yet.
noticed as (
  update hook_workers set missed_at = clock_timestamp(), server_started_at = pg_postmaster_start_time()
  where hook_workers.id = any (array(
    select others.id from hook_workers as others
    where others.id <> $1 and case when others.missed_at is not null then others.server_started_at <> pg_postmaster_start_time()
      else (select states.missed from hook_worker_states as states where states.id = others.id) end
    -- To wait for one that renews its lease, and notices this one, would be a deadlock.
    for no key update skip locked))
),
-- The view compares with now(): a statement that waited for a lock sees the leases as of its beginning, and takes none that ended while
-- it waited.
alive as (
  select $1 as id, true as present
  union all
  -- One that leaves or is missed counts in no share.
  select states.id, not states.leaving and not states.missed and states.missed_at is null
  from hook_worker_states as states
  join hook_workers on hook_workers.id = states.id
  where states.id <> $1 and (not states.missed or hook_workers.server_started_at <> pg_postmaster_start_time()
    or coalesce(states.missed_at, now()) > now() - interval '1 millisecond'
      * case when states.away or hook_workers.session_at <= now() - $5 * interval '1 millisecond' then $6 else $4 end)
),
-- What is left over is for the first of the processes, one each.
share as (
  select active.count / sharing.count + case when sharing.before < active.count % sharing.count then 1 else 0 end as most, active.owned
  from (
    select count(*) as count, count(*) filter (where hook_positions.worker = $1) as owned
    from hook_subscriptions join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
    where hook_subscriptions.active
  ) as active
  cross join (select count(*) as count, count(*) filter (where alive.id < $1) as before from alive where alive.present) as sharing
),
free as (
  select hook_positions.no
  from hook_positions
  join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
  where hook_subscriptions.active
    and (hook_positions.worker is null or hook_positions.worker not in (select alive.id from alive))
    -- One that another process took since this snapshot, in which that process may not live yet, has a higher fence by now.
    and hook_positions.fence = (select seen.fence from hook_positions as seen where seen.no = hook_positions.no)
  order by hook_positions.no
  limit (select greatest(share.most - share.owned, 0) from share)
  for no key update of hook_positions skip locked
),
taken as (
  update hook_positions
  -- What the worker before it may have sent ends at the head; and a position beyond it, written by hand, would skip events.
  set worker = $1, fence = hook_positions.fence + 1, counted_from = hook_positions.fence + 1,
    cursor = least(hook_positions.cursor, feed_state.head), claimed_to = least(hook_positions.claimed_to, feed_state.head)
  from feed_state
  where hook_positions.no = any (array(select free.no from free))
  returning hook_positions.no, hook_positions.subscription_id, hook_positions.fence, hook_positions.counted_from, hook_positions.cursor,
    hook_positions.claimed_to
),
owned as (
  select taken.no, taken.subscription_id, taken.fence, taken.counted_from, taken.cursor, taken.claimed_to, false as surplus
  from taken
  union all
  select hook_positions.no, hook_positions.subscription_id, hook_positions.fence, hook_positions.counted_from, hook_positions.cursor,
    hook_positions.claimed_to, row_number() over (order by hook_positions.no) > (select share.most from share)
  from hook_positions join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id and hook_subscriptions.active
  where hook_positions.worker = $1
)
select owned.no, owned.fence, owned.counted_from, owned.surplus, owned.cursor, owned.claimed_to, subscription.id, subscription.target_url,
  subscription.event_types, subscription.secret, subscription.old_secret, subscription.old_secret_leads,
  subscription.consecutive_failures, subscription.ranges, (
    select count(*)::integer
    from (
      select from hook_retries
      where hook_retries.no = owned.no
      limit case when known.no is null then 10000 else 1 end
    ) as counted
  ) as retries
from owned
left join unnest($7, $8) as known (no, fence) on known.no = owned.no and known.fence = owned.fence
left join hook_owned_subscriptions as subscription on subscription.id = owned.subscription_id and known.no is null;
