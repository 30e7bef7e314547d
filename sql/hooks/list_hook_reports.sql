-- One subscription or all of them, newest first, with how delivering goes: what arrived last, what failed, what waits, what
-- was missed, how far catching up is, and the last attempt that failed, with what the receiver said.
-- untried counts events above the position from next_cursor on; due_since is when the oldest of what could be sent came;
-- owned is whether a live process delivers. Test events are not counted.
-- missed and expired are events of ranges that are passed over; catching_up are those left of the ranges under way.
--
-- $1 id?        null: all, without a count of what is left and of what is untried by those that are active
-- $2 count_max  no more is counted
--
-- Reads all subscriptions: there are at most HOOKS_MAX.
--
-- @uses hook_positions_subscription_id_key, hook_failures_pkey, hook_retries_pkey, hook_retries_due_idx
-- @uses hook_retries_untried_idx, hook_skips_pkey, hook_attempts_pkey, event_cursors_type_idx
-- @not_null id, target_url, event_types, source, active, created_at: of the subscription; the outer joins are to others
-- @not_null consecutive_failures, old_secret_leads: of the subscription
-- @not_null failures, waiting, missed, expired, catching_up_of: counts
prepare list_hook_reports (uuid, integer) as
select hook_subscriptions.id, hook_subscriptions.target_url, hook_subscriptions.event_types, hook_subscriptions.label,
  hook_subscriptions.source, hook_subscriptions.active, hook_subscriptions.created_at, hook_subscriptions.consecutive_failures,
  hook_subscriptions.failing_since, hook_subscriptions.paused_at, hook_subscriptions.pause_reason, hook_subscriptions.old_secret_until,
  hook_subscriptions.old_secret_leads, hook_backlogs.catch_up_cursor,
  delivered.at as delivered_at, failures.count as failures, retries.count as waiting,
  case when $1 is not null or not hook_subscriptions.active
    then count_in_turn(hook_positions.no, hook_subscriptions.event_types, hook_positions.cursor, $2) end as untried,
  hook_backlogs.next_cursor, hook_backlogs.due_since, hook_backlogs.owned, ranges.missed, ranges.expired,
  ranges.catching_up, ranges.catching_up_of,
  failure.cursor as failure_cursor, failure.started_at as failure_at, failure.status as failure_status,
  failure.error_class as failure_class, failure.excerpt as failure_excerpt
from hook_subscriptions
join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
join hook_backlogs on hook_backlogs.subscription_id = hook_subscriptions.id
cross join lateral (
  select count(*)::integer as count
  from (select from hook_failures where hook_failures.no = hook_positions.no and hook_failures.cursor > 0 limit $2) as counted
) as failures
cross join lateral (
  select count(*)::integer as count
  from (select from hook_retries where hook_retries.no = hook_positions.no and hook_retries.cursor > 0 limit $2) as counted
) as retries
cross join lateral (
  select coalesce(sum(hook_skips.events) filter (where hook_skips.reason = 'paused' and not hook_skips.catching_up), 0)::bigint as missed,
    coalesce(sum(hook_skips.events) filter (where hook_skips.reason = 'expired'), 0)::bigint as expired,
    coalesce(sum(hook_skips.events) filter (where hook_skips.catching_up), 0)::bigint as catching_up_of,
    case when $1 is not null or not hook_subscriptions.active then coalesce(sum(
      count_left(hook_subscriptions.event_types, hook_skips.from_cursor, hook_skips.to_cursor, hook_skips.events, $2))
      filter (where ($1 is not null or not hook_subscriptions.active) and hook_skips.catching_up), 0)::bigint end as catching_up
  from hook_skips
  where hook_skips.no = hook_positions.no
) as ranges
cross join lateral (
  -- The newest event, and the newest test event: no index finds what arrived last.
  select max(newest.at) as at
  from (
    (select hook_attempts.started_at as at
    from hook_attempts
    where hook_attempts.no = hook_positions.no and hook_attempts.cursor > 0 and hook_attempts.outcome = 'd'
    order by hook_attempts.cursor desc, hook_attempts.started_at desc
    limit 1)
    union all
    (select hook_attempts.started_at
    from hook_attempts
    where hook_attempts.no = hook_positions.no and hook_attempts.cursor < 0 and hook_attempts.outcome = 'd'
    order by hook_attempts.cursor, hook_attempts.started_at
    limit 1)
  ) as newest
) as delivered
left join lateral (
  select hook_attempts.cursor, hook_attempts.started_at, hook_attempts.status, hook_attempts.error_class, hook_attempts.excerpt
  from (
    (select hook_failures.cursor from hook_failures where hook_failures.no = hook_positions.no order by hook_failures.cursor desc limit 1)
    union all
    (select hook_retries.cursor from hook_retries where hook_retries.no = hook_positions.no order by hook_retries.cursor desc limit 1)
  ) as not_delivered
  join hook_attempts on hook_attempts.no = hook_positions.no and hook_attempts.cursor = not_delivered.cursor
  where hook_attempts.error_class is not null
  order by hook_attempts.started_at desc
  limit 1
) as failure on true
where ($1 is null or hook_subscriptions.id = $1)
order by hook_subscriptions.created_at desc, hook_subscriptions.id desc;
