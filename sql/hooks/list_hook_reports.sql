-- One subscription or all of them, newest first, with how delivering goes: what waits, what was skipped, when the
-- last delivery arrived, and the last attempt that failed, with what the receiver said.
--
-- $1 id         null: all, without the cursor from which to catch up
-- $2 count_max  no more is counted
--
-- Reads all subscriptions: there are at most HOOKS_MAX. Uses hook_queue_due_idx, hook_outcomes_state_idx
-- and hook_other_attempts_pkey.
prepare list_hook_reports (uuid, integer) as
select hook_subscriptions.id, hook_subscriptions.target_url, hook_subscriptions.event_types, hook_subscriptions.label,
  hook_subscriptions.source, hook_subscriptions.active, hook_subscriptions.created_at, hook_subscriptions.consecutive_failures,
  hook_subscriptions.failing_since, hook_subscriptions.paused_at, hook_subscriptions.old_secret_until,
  hook_subscriptions.old_secret_leads,
  -- A fifth of a millisecond each: not for a list.
  case when $1 is not null then catch_up_cursor(hook_subscriptions) end as catch_up_cursor,
  pending.count as pending, skipped.count as skipped, delivered.ended_at as delivered_at,
  failure.delivery_id as failure_delivery_id, failure.started_at as failure_at, failure.status as failure_status,
  failure.error_class as failure_class, failure.excerpt as failure_excerpt
from hook_subscriptions
cross join lateral (
  select count(*)::integer as count
  from (
    select from hook_queue
    where hook_queue.subscription_id = hook_subscriptions.id
    limit $2
  ) as counted
) as pending
cross join lateral (
  select count(*)::integer as count
  from (
    select from hook_outcomes
    where hook_outcomes.subscription_id = hook_subscriptions.id and hook_outcomes.state = 'skipped'
    limit $2
  ) as counted
) as skipped
left join lateral (
  select hook_outcomes.ended_at
  from hook_outcomes
  where hook_outcomes.subscription_id = hook_subscriptions.id and hook_outcomes.state = 'delivered'
  order by hook_outcomes.id desc
  limit 1
) as delivered on true
left join lateral (
  select hook_other_attempts.delivery_id, hook_other_attempts.started_at, hook_other_attempts.status, hook_other_attempts.error_class, hook_other_attempts.excerpt
  from (
    -- The newest that failed for good, and the one that waits longest for its next attempt.
    (select hook_outcomes.id
    from hook_outcomes
    where hook_outcomes.subscription_id = hook_subscriptions.id and hook_outcomes.state = 'failed'
    order by hook_outcomes.id desc
    limit 1)
    union all
    (select hook_queue.id
    from hook_queue
    where hook_queue.subscription_id = hook_subscriptions.id and hook_queue.due_at > now()
      -- Of one with a claim it is when that lapses.
      and hook_queue.claim is null
    order by hook_queue.due_at desc
    limit 1)
  ) as unlucky
  join hook_other_attempts on hook_other_attempts.delivery_id = unlucky.id
  where hook_other_attempts.error_class is not null
  order by hook_other_attempts.started_at desc
  limit 1
) as failure on true
where ($1 is null or hook_subscriptions.id = $1)
order by hook_subscriptions.created_at desc, hook_subscriptions.id desc;
