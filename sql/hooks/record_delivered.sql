-- Records attempts that were all delivered: what record_attempts does with them, in 20 in place of 26 us a delivery
-- (batches of 64), because nothing has to be counted in order. Whoever changes the one looks at the other.
-- An attempt whose claim is no longer the delivery's is kept as an attempt and changes nothing else. One row per
-- subscription whose run of failures ends.
--
-- As arrays of the same length, a place in each for an attempt.
--
-- $1 ids
-- $2 claims
-- $3 started_at
-- $4 duration_ms
-- $5 statuses
-- $6 excerpts  null: none
--
-- Uses hook_deliveries_pkey, hook_subscriptions_pkey and hook_attempts_pkey.
prepare record_delivered (bigint[], uuid[], timestamptz[], integer[], integer[], text[]) as
with attempt as (
  select ended.id, ended.claim, ended.started_at, ended.duration_ms, ended.status, ended.excerpt
  -- As in record_attempts: a series is taken for a thousand, arrays for ten.
  from rows from (unnest($1, $2, $3, $4, $5, $6), generate_series(1, cardinality($1)))
    as ended (id, claim, started_at, duration_ms, status, excerpt, place)
  -- Rows are locked in this order, as by whoever erases them.
  order by ended.id, ended.place
),
concluded as (
  update hook_deliveries
  set state = 'delivered', claim = null, claimed_until = null, attempts = hook_deliveries.attempts + 1, ended_at = now()
  from attempt
  where hook_deliveries.id = attempt.id and hook_deliveries.claim = attempt.claim
    and hook_deliveries.id = any ($1)
  returning attempt.id, attempt.claim, attempt.started_at, attempt.duration_ms, attempt.status, attempt.excerpt,
    hook_deliveries.subscription_id
),
logged as (
  insert into hook_attempts (delivery_id, claim, started_at, duration_ms, status, excerpt)
  select concluded.id, concluded.claim, concluded.started_at, concluded.duration_ms, concluded.status, concluded.excerpt
  from concluded
),
late as (
  select attempt.id, attempt.claim, attempt.started_at, attempt.duration_ms, attempt.status, attempt.excerpt
  from attempt
  -- As a list, which is hashed; a join would compare each with each.
  where (attempt.id, attempt.claim) not in (select concluded.id, concluded.claim from concluded)
),
logged_late as (
  insert into hook_attempts (delivery_id, claim, started_at, duration_ms, status, excerpt)
  select late.id, late.claim, late.started_at, late.duration_ms, late.status, late.excerpt
  from late
  cross join lateral (
    select
    from hook_deliveries
    where hook_deliveries.id = late.id
    for key share
  ) as delivery
  on conflict do nothing
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
select changed.id, changed.consecutive_failures, changed.active
from changed;
