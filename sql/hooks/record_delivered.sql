-- Records attempts that were all delivered: what record_attempts does with them, for less, because nothing has to be
-- counted in order. Whoever changes the one looks at the other.
-- An attempt whose claim is no longer the delivery's is kept as an attempt and changes nothing else. One row per
-- subscription whose run of failures ends, and one with moved_id for each attempt that is to be said again.
--
-- As arrays of the same length, a place in each for an attempt.
--
-- $1 ids
-- $2 claims
-- $3 started_at
-- $4 duration_ms
-- $5 statuses
-- $6 excerpts      null: none
-- $7 ended_claims  of which nothing is under way any more: their leases end
--
-- Uses hook_queue_pkey, hook_outcomes_pkey, hook_leases_pkey, hook_subscriptions_pkey and hook_other_attempts_pkey.
prepare record_delivered (bigint[], uuid[], timestamptz[], integer[], integer[], text[], uuid[]) as
with attempt as (
  select made.id, made.claim, made.started_at, made.duration_ms, made.status, made.excerpt
  -- As in record_attempts: a series is taken for a thousand, arrays for ten.
  from rows from (unnest($1, $2, $3, $4, $5, $6), generate_series(1, cardinality($1)))
    as made (id, claim, started_at, duration_ms, status, excerpt, place)
  -- Rows are locked in this order, as by whoever erases them.
  order by made.id, made.place
),
concluded as (
  delete from hook_queue
  using attempt
  where hook_queue.id = attempt.id and hook_queue.id = any ($1)
    -- What was taken in its turn has no due_at until its lease lapses.
    and (hook_queue.due_at is null or hook_queue.claim = attempt.claim)
  returning attempt.id, attempt.claim, attempt.started_at, attempt.duration_ms, attempt.status, attempt.excerpt,
    hook_queue.subscription_id, hook_queue.cursor, hook_queue.test_event, hook_queue.attempts, hook_queue.created_at,
    hook_queue.maybe_sent
),
delivered as (
  insert into hook_outcomes (id, subscription_id, cursor, test_event, state, attempts, created_at, maybe_sent, claim,
    started_at, duration_ms, status, excerpt)
  select concluded.id, concluded.subscription_id, concluded.cursor, concluded.test_event, 'delivered',
    concluded.attempts + 1, concluded.created_at, concluded.maybe_sent, concluded.claim, concluded.started_at,
    concluded.duration_ms, concluded.status, concluded.excerpt
  from concluded
),
-- From here to moved word for word as in record_attempts, without error_class.
late as (
  select attempt.id, attempt.claim, attempt.started_at, attempt.duration_ms, attempt.status, attempt.excerpt
  from attempt
  -- As a list, which is hashed; a join would compare each with each.
  where (select count(*) from concluded) < cardinality($1)
    and (attempt.id, attempt.claim) not in (select concluded.id, concluded.claim from concluded)
),
logged_late as (
  insert into hook_other_attempts (delivery_id, claim, started_at, duration_ms, status, excerpt)
  select late.id, late.claim, late.started_at, late.duration_ms, late.status, late.excerpt
  from late
  cross join lateral (
    select
    from (select from hook_queue where hook_queue.id = late.id for key share) as queued
    union all
    -- Recorded before, perhaps, and its answer lost.
    select
    from (
      select
      from hook_outcomes
      where hook_outcomes.id = late.id and hook_outcomes.claim is distinct from late.claim
      for key share
    ) as outcome
  ) as delivery
  on conflict do nothing
  returning hook_other_attempts.delivery_id, hook_other_attempts.claim
),
-- Between this statement's snapshot and its lock the delivery went from one table to the other: to be said again.
moved as (
  select late.id
  from late
  where (late.id, late.claim) not in (select logged_late.delivery_id, logged_late.claim from logged_late)
    and ((select true from hook_queue where hook_queue.id = late.id limit 1)
      or (
        select true
        from hook_outcomes
        where hook_outcomes.id = late.id and hook_outcomes.claim is distinct from late.claim
        limit 1))
    and not coalesce((
      select true
      from hook_other_attempts
      where hook_other_attempts.delivery_id = late.id and hook_other_attempts.claim = late.claim
      limit 1), false)
),
ending_leases as (
  select hook_leases.claim, hook_leases.subscription_id
  from hook_leases
  where hook_leases.claim = any ($7)
  -- Whoever finds it lapsed has it.
  for update skip locked
),
ended_leases as (
  delete from hook_leases
  using ending_leases
  where hook_leases.claim = ending_leases.claim and hook_leases.subscription_id = ending_leases.subscription_id
),
-- Healthy deliveries write nothing here and wait for nobody.
failing as (
  select hook_subscriptions.id
  from hook_subscriptions
  where hook_subscriptions.id in (select concluded.subscription_id from concluded)
    and hook_subscriptions.active and hook_subscriptions.consecutive_failures > 0
  order by hook_subscriptions.id
  for update
),
changed as (
  update hook_subscriptions
  set consecutive_failures = 0
  where hook_subscriptions.id = any (array(select failing.id from failing))
  returning hook_subscriptions.id, hook_subscriptions.consecutive_failures, hook_subscriptions.active
)
select changed.id, changed.consecutive_failures, changed.active, null::bigint as moved_id
from changed
union all
select null, null, null, moved.id
from moved;
