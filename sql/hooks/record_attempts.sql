-- Records attempts, in the order they ended, and what becomes of each delivery. Ten final failures in a row
-- pause the subscription at exactly the tenth, whoever else records at the same time; from then on what fails is
-- skipped, as while it is paused. A delivered one starts the count anew.
-- An attempt whose claim is no longer the delivery's is kept as an attempt and changes nothing else, so saying
-- it all again after a lost connection is harmless. One row per subscription whose count changed, and one with moved_id
-- for each attempt that is to be said again.
--
-- As arrays of the same length, a place in each for an attempt: read in half the time that JSON takes.
--
-- $1 ids
-- $2 claims
-- $3 outcomes       delivered, failed, retry (due again retry_ms from now); or nothing was sent: skipped (the event
--                   is gone for good), released (given back, due again retry_ms from now; sent perhaps, if it has an
--                   error class)
-- $4 retry_ms       null where it is not due again
-- $5 started_at
-- $6 duration_ms
-- $7 statuses       of the answer; null: none came
-- $8 error_classes  null: none
-- $9 excerpts       null: none
-- $10 ended_claims  of which nothing is under way any more: their leases end
--
-- Uses hook_queue_pkey, hook_outcomes_pkey, hook_leases_pkey, hook_subscriptions_pkey and hook_other_attempts_pkey.
prepare record_attempts (bigint[], uuid[], text[], integer[], timestamptz[], integer[], integer[], text[], text[], uuid[]) as
with attempt as (
  select made.id, made.claim, made.outcome, made.retry_ms, made.started_at, made.duration_ms, made.status,
    made.error_class, made.excerpt, made.place
  -- The planner takes arrays for ten elements each, and would compare each attempt with each; a series, for a thousand.
  from rows from (unnest($1, $2, $3, $4, $5, $6, $7, $8, $9), generate_series(1, cardinality($1)))
    as made (id, claim, outcome, retry_ms, started_at, duration_ms, status, error_class, excerpt, place)
  -- Rows are locked in this order, as by whoever erases them; who fails before the others may still meet him, and
  -- whoever loses then begins again.
  order by made.id, made.place
),
-- Attempts whose claim is still the delivery's.
held as (
  select attempt.id, attempt.claim, attempt.outcome, attempt.retry_ms, attempt.started_at, attempt.duration_ms,
    attempt.status, attempt.error_class, attempt.excerpt, attempt.place, delivery.subscription_id, delivery.cursor
  from attempt
  cross join lateral (
    select hook_queue.subscription_id, hook_queue.cursor
    from hook_queue
    where hook_queue.id = attempt.id
      -- What was taken in its turn has no due_at until its lease lapses.
      and (hook_queue.due_at is null or hook_queue.claim = attempt.claim)
    for update
  ) as delivery
  where attempt.outcome <> 'delivered'
  union all
  -- Most are delivered, and theirs need no lock: that its claim has lapsed by now is seen when it is concluded.
  select attempt.id, attempt.claim, attempt.outcome, attempt.retry_ms, attempt.started_at, attempt.duration_ms,
    attempt.status, attempt.error_class, attempt.excerpt, attempt.place, delivery.subscription_id, delivery.cursor
  from attempt
  cross join lateral (
    select hook_queue.subscription_id, hook_queue.cursor
    from hook_queue
    where hook_queue.id = attempt.id and (hook_queue.due_at is null or hook_queue.claim = attempt.claim)
    -- Looked up one by one: the plan is made once, perhaps while the table is empty.
    limit 1
  ) as delivery
  where attempt.outcome = 'delivered'
),
-- Only where the count can change: healthy deliveries write nothing here and wait for nobody.
counting as (
  select hook_subscriptions.id, hook_subscriptions.active, hook_subscriptions.consecutive_failures,
    hook_subscriptions.failing_since, hook_subscriptions.failing_cursor
  from hook_subscriptions
  where hook_subscriptions.id in (select held.subscription_id from held)
    and (hook_subscriptions.consecutive_failures > 0 or not hook_subscriptions.active
      or exists (select from held where held.subscription_id = hook_subscriptions.id and held.outcome = 'failed'))
  order by hook_subscriptions.id
  for update
),
-- What counts, in order; successes so far tell one run of failures from the next.
ordered as (
  select held.id, held.subscription_id, held.cursor, held.outcome, held.place, counting.active,
    counting.consecutive_failures as before,
    count(*) filter (where held.outcome = 'delivered') over up_to_here as successes
  from held
  join counting on counting.id = held.subscription_id
  where held.outcome in ('delivered', 'failed')
  window up_to_here as (partition by held.subscription_id order by held.place)
),
-- How long the run is at each attempt; the first run goes on from the stored count.
counted as (
  select ordered.id, ordered.subscription_id, ordered.cursor, ordered.outcome, ordered.place, ordered.active,
    ordered.successes,
    (case when ordered.successes = 0 then ordered.before else 0 end
      + count(*) filter (where ordered.outcome = 'failed')
        over (partition by ordered.subscription_id, ordered.successes order by ordered.place))::integer as failures
  from ordered
),
-- The tenth in a row.
pauses as (
  select counted.subscription_id, min(counted.place) as place
  from counted
  where counted.active and counted.failures >= 10
  group by counted.subscription_id
),
-- Where the count of each subscription ends: at the pause, or with the last attempt.
ending as (
  select distinct on (counted.subscription_id) counted.subscription_id, counted.failures, counted.successes,
    pauses.place is not null as pausing
  from counted
  left join pauses on pauses.subscription_id = counted.subscription_id
  where counted.active and counted.place <= coalesce(pauses.place, counted.place)
  order by counted.subscription_id, counted.place desc
),
-- The failures of the run that the count ends with.
failing as (
  select ending.subscription_id, min(counted.cursor) as cursor
  from ending
  join counted on counted.subscription_id = ending.subscription_id and counted.successes = ending.successes
    and counted.outcome = 'failed'
  group by ending.subscription_id
),
-- What becomes of the subscriptions whose count changes.
becoming as (
  select ending.subscription_id, ending.failures, ending.pausing,
    case
      when ending.failures = 0 or (ending.successes = 0 and counting.consecutive_failures > 0)
        then counting.failing_since
      else now() end as failing_since,
    case
      when ending.failures = 0 then counting.failing_cursor
      when ending.successes = 0 and counting.consecutive_failures > 0
        then least(counting.failing_cursor, failing.cursor)
      else failing.cursor end as failing_cursor
  from ending
  join counting on counting.id = ending.subscription_id
  left join failing on failing.subscription_id = ending.subscription_id
  where ending.failures <> counting.consecutive_failures or (ending.successes > 0 and ending.failures > 0)
),
changed as (
  update hook_subscriptions
  set consecutive_failures = becoming.failures,
    active = not becoming.pausing,
    paused_at = case when becoming.pausing then now() end,
    failing_since = becoming.failing_since,
    failing_cursor = becoming.failing_cursor,
    missed_since = case
      when becoming.pausing then coalesce(hook_subscriptions.missed_since, becoming.failing_since)
      else hook_subscriptions.missed_since end,
    missed_cursor = case
      when becoming.pausing then least(hook_subscriptions.missed_cursor, becoming.failing_cursor)
      else hook_subscriptions.missed_cursor end
  from becoming
  where hook_subscriptions.id = becoming.subscription_id
  returning hook_subscriptions.id, hook_subscriptions.consecutive_failures, hook_subscriptions.active
),
-- What the owner is told: once for each of these numbers that the run of failures reached.
noticed as (
  insert into owner_notices (subscription_id, failures)
  select changed.id, threshold.failures
  from changed
  join counting on counting.id = changed.id
  join ending on ending.subscription_id = changed.id
  cross join (values (5), (8), (10)) as threshold (failures)
  where threshold.failures <= changed.consecutive_failures
    and threshold.failures > case when ending.successes > 0 then 0 else counting.consecutive_failures end
),
-- After a pause what fails is skipped.
verdict as (
  select judged.id, judged.claim, judged.started_at, judged.duration_ms, judged.status, judged.error_class,
    judged.excerpt, judged.state, judged.attempted, judged.retry_ms,
    -- For the planner, which takes half of all for either; a state, for a few, which it would compare each with each.
    judged.state <> 'pending' as ends
  from (
    select held.id, held.claim, held.started_at, held.duration_ms, held.status, held.error_class, held.excerpt,
      case
        when held.outcome <> 'delivered' and (counting.active is false or held.place > pauses.place) then 'skipped'
        when held.outcome in ('retry', 'released') then 'pending'
        else held.outcome
      end as state,
      held.outcome not in ('skipped', 'released') as attempted, held.retry_ms
    from held
    left join counting on counting.id = held.subscription_id
    left join pauses on pauses.subscription_id = held.subscription_id
  ) as judged
),
-- Taken out and put where it belongs: ended, or due again.
waiting as (
  update hook_queue
  set claim = null, attempts = hook_queue.attempts + verdict.attempted::integer,
    due_at = now() + coalesce(verdict.retry_ms, 0) * interval '1 millisecond',
    -- Given back while it was under way.
    maybe_sent = hook_queue.maybe_sent
      or (not verdict.attempted and coalesce(verdict.error_class in ('connect', 'timeout'), false))
  from verdict
  where not verdict.ends and hook_queue.id = verdict.id
    and (hook_queue.due_at is null or hook_queue.claim = verdict.claim)
    and hook_queue.id = any (array(select held.id from held))
  returning verdict.id, verdict.claim, verdict.started_at, verdict.duration_ms, verdict.status, verdict.error_class,
    verdict.excerpt, verdict.attempted, verdict.state
),
ended as (
  delete from hook_queue
  using verdict
  where verdict.ends and hook_queue.id = verdict.id
    and (hook_queue.due_at is null or hook_queue.claim = verdict.claim)
    and hook_queue.id = any (array(select held.id from held))
  returning verdict.id, verdict.claim, verdict.started_at, verdict.duration_ms, verdict.status, verdict.error_class,
    verdict.excerpt, verdict.attempted, verdict.state, hook_queue.subscription_id, hook_queue.cursor, hook_queue.test_event,
    hook_queue.attempts + verdict.attempted::integer as attempts, hook_queue.created_at,
    hook_queue.maybe_sent
      or (not verdict.attempted and coalesce(verdict.error_class in ('connect', 'timeout'), false)) as maybe_sent
),
stored as (
  insert into hook_outcomes (id, subscription_id, cursor, test_event, state, attempts, created_at, maybe_sent, claim,
    started_at, duration_ms, status, excerpt)
  select ended.id, ended.subscription_id, ended.cursor, ended.test_event, ended.state, ended.attempts, ended.created_at,
    ended.maybe_sent, delivering.claim, delivering.started_at, delivering.duration_ms, delivering.status, delivering.excerpt
  from ended
  -- The attempt that delivered it stands in its row.
  left join lateral (
    select ended.claim, ended.started_at, ended.duration_ms, ended.status, ended.excerpt
    where ended.state = 'delivered'
  ) as delivering on true
),
concluded as (
  select ended.id, ended.claim, ended.started_at, ended.duration_ms, ended.status, ended.error_class, ended.excerpt,
    ended.attempted, ended.state
  from ended
  union all
  select waiting.id, waiting.claim, waiting.started_at, waiting.duration_ms, waiting.status, waiting.error_class,
    waiting.excerpt, waiting.attempted, waiting.state
  from waiting
),
-- Kept with what became of the delivery, so that of one that is erased at the same moment nothing stays. A claim
-- concludes once, so nothing can be in the way, and to look whether something is would be a twentieth of the statement.
logged as (
  insert into hook_other_attempts (delivery_id, claim, started_at, duration_ms, status, error_class, excerpt)
  select concluded.id, concluded.claim, concluded.started_at, concluded.duration_ms, concluded.status,
    concluded.error_class, concluded.excerpt
  from concluded
  where concluded.attempted and concluded.state <> 'delivered'
),
late as (
  select attempt.id, attempt.claim, attempt.started_at, attempt.duration_ms, attempt.status, attempt.error_class,
    attempt.excerpt
  from attempt
  where attempt.outcome in ('delivered', 'failed', 'retry')
    -- As a list, which is hashed; a join would compare each with each.
    and (attempt.id, attempt.claim) not in (select concluded.id, concluded.claim from concluded)
),
logged_late as (
  insert into hook_other_attempts (delivery_id, claim, started_at, duration_ms, status, error_class, excerpt)
  select late.id, late.claim, late.started_at, late.duration_ms, late.status, late.error_class, late.excerpt
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
  where hook_leases.claim = any ($10)
  -- Whoever finds it lapsed has it.
  for update skip locked
),
ended_leases as (
  delete from hook_leases
  using ending_leases
  where hook_leases.claim = ending_leases.claim and hook_leases.subscription_id = ending_leases.subscription_id
)
select changed.id, changed.consecutive_failures, changed.active, null::bigint as moved_id
from changed
union all
select null, null, null, moved.id
from moved;
