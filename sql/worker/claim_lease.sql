-- Renews the lease of the leader, or takes it over when it is over. One row: fence is null while another process leads.
-- What the leader looks at once a second comes with it.
--
-- $1 worker    this process
-- $2 alone     no other process can be alive: take it over at once
-- $3 lease_ms  how long the lease lasts
--
-- @uses leader_pkey, hook_outstanding_next_idx, hook_outstanding_due_idx
-- @not_null identity: the identity of the database
-- @not_null versions: coalesce ends with 0
-- @not_null due: array() is never null
-- @not_null left_ms: leader has one row
prepare claim_lease (uuid, boolean, integer) as
with renewed as (
  update leader
  set worker = $1,
    lease_until = clock_timestamp() + $3 * interval '1 millisecond',
    fence = leader.fence + (leader.worker is distinct from $1)::integer
  where leader.worker is not distinct from $1 or $2
    -- What ends much later was written by a clock that was ahead.
    or leader.lease_until not between clock_timestamp() and clock_timestamp() + 2 * $3 * interval '1 millisecond'
  returning leader.fence
)
select (select renewed.fence from renewed) as fence,
  database_identity() as identity,
  -- Changes with every subscription that is added, changed or deleted.
  (select coalesce(sum(hashtext(hook_subscriptions.id::text)::bigint * hook_subscriptions.version), 0)::text
    from hook_subscriptions where hook_subscriptions.deleted_at is null) as versions,
  -- Subscriptions with an attempt that is due: a look for each, where anything is due at all.
  array(
    select hook_subscriptions.id::text
    from hook_subscriptions
    where hook_subscriptions.active
      and (select hook_outstanding.due_at from hook_outstanding where hook_outstanding.due_at is not null
        order by hook_outstanding.due_at limit 1) <= clock_timestamp()
      and (select hook_outstanding.due_at from hook_outstanding
        where hook_outstanding.subscription_id = hook_subscriptions.id and hook_outstanding.due_at is not null
        order by hook_outstanding.due_at limit 1) <= clock_timestamp()) as due,
  -- Not subtracted from -infinity, which PostgreSQL before 17 refuses.
  (select case when leader.lease_until > clock_timestamp()
      then least(2 * $3, extract(epoch from leader.lease_until - clock_timestamp()) * 1000) else 0 end::integer
    from leader) as left_ms;
