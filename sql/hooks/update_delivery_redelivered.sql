-- Makes one delivery due anew, at once; the attempts before it stay. What waits for its turn is on its way already: its
-- row comes, and nothing changes. One row, or none: there is no such delivery, it is being sent, its subscription is
-- paused or deleted, or its event is gone.
--
-- $1 id
--
-- Uses hook_outcomes_pkey, hook_queue_pkey, hook_leases_subscription_idx, hook_subscriptions_pkey and events_pkey; adds
-- to hook_other_attempts_pkey, hook_queue_pkey and hook_queue_due_idx.
prepare update_delivery_redelivered (bigint) as
with ended as (
  delete from hook_outcomes
  using hook_subscriptions
  where hook_outcomes.id = $1
    and hook_subscriptions.id = hook_outcomes.subscription_id and hook_subscriptions.active
    and (hook_outcomes.cursor is null or exists (select from events where events.cursor = hook_outcomes.cursor))
  returning hook_outcomes.id, hook_outcomes.subscription_id, hook_outcomes.cursor, hook_outcomes.test_event,
    hook_outcomes.created_at, hook_outcomes.maybe_sent, hook_outcomes.claim, hook_outcomes.started_at,
    hook_outcomes.duration_ms, hook_outcomes.status, hook_outcomes.excerpt
),
kept as (
  insert into hook_other_attempts (delivery_id, claim, started_at, duration_ms, status, excerpt)
  select ended.id, ended.claim, ended.started_at, ended.duration_ms, ended.status, ended.excerpt
  from ended
  where ended.claim is not null
),
queued as (
  insert into hook_queue (id, subscription_id, cursor, test_event, due_at, created_at, maybe_sent)
  select ended.id, ended.subscription_id, ended.cursor, ended.test_event, now(), ended.created_at, ended.maybe_sent
  from ended
  returning hook_queue.id
),
waiting as (
  update hook_queue
  set due_at = now(), attempts = 0, claim = null, maybe_sent = hook_queue.maybe_sent or hook_queue.claim is not null
  from hook_subscriptions
  where hook_queue.id = $1 and (hook_queue.claim is null or hook_queue.due_at <= now())
    -- What waits for its turn is on its way already.
    and hook_queue.due_at is not null
    and hook_subscriptions.id = hook_queue.subscription_id and hook_subscriptions.active
    and (hook_queue.cursor is null or exists (select from events where events.cursor = hook_queue.cursor))
  returning hook_queue.id
),
in_turn as (
  select hook_queue.id
  from hook_queue
  join hook_subscriptions on hook_subscriptions.id = hook_queue.subscription_id and hook_subscriptions.active
  where hook_queue.id = $1 and hook_queue.due_at is null
    and exists (select from events where events.cursor = hook_queue.cursor)
    and not exists (
      select from hook_leases
      where hook_leases.subscription_id = hook_queue.subscription_id
        and hook_queue.id between hook_leases.first_id and hook_leases.last_id)
)
select queued.id from queued
union all
select waiting.id from waiting
union all
select in_turn.id from in_turn;
