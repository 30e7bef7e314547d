-- How each webhook subscription fares, or one of them. Counts end at count_max. The last attempt is that of the newest
-- event that was tried. behind_since: when the oldest event that was not tried yet got its cursor.
--
-- $1 id?
-- $2 count_max
--
-- Reads the whole table of subscriptions: there are at most HOOKS_MAX.
-- @uses hook_outstanding_due_idx, hook_outstanding_failed_idx, hook_outstanding_pkey, hook_attempts_pkey
-- @uses event_cursors_type_idx
-- @not_null target_url: null in deleted rows alone
-- @not_null id, event_types, source, active, created_at, cursor, version, consecutive_failures, old_secret_leads:
--   of the subscription itself
-- @not_null waiting, failed, behind: counts
prepare list_hook_reports (uuid, integer) as
select hook_subscriptions.id, hook_subscriptions.target_url, hook_subscriptions.event_types, hook_subscriptions.label,
  hook_subscriptions.source, hook_subscriptions.active, hook_subscriptions.created_at, hook_subscriptions.cursor,
  hook_subscriptions.version, hook_subscriptions.consecutive_failures, hook_subscriptions.failing_since,
  hook_subscriptions.paused_at, hook_subscriptions.pause_reason, hook_subscriptions.missed_from,
  hook_subscriptions.missed_to, hook_subscriptions.old_secret_until, hook_subscriptions.old_secret_leads,
  (select count(*)::integer from (select from hook_outstanding
    where hook_outstanding.subscription_id = hook_subscriptions.id and hook_outstanding.due_at is not null
    limit $2) as counted) as waiting,
  (select count(*)::integer from (select from hook_outstanding
    where hook_outstanding.subscription_id = hook_subscriptions.id and hook_outstanding.due_at is null
    limit $2) as counted) as failed,
  -- Without those above the position that were tried already.
  greatest(0, count_events_at_most(hook_subscriptions.event_types, hook_subscriptions.cursor, 9223372036854775807, $2)
    - (select count(*)::integer from hook_outstanding where hook_outstanding.subscription_id = hook_subscriptions.id
      and hook_outstanding.cursor > hook_subscriptions.cursor)) as behind,
  last.cursor as tried_cursor, last.started_at as tried_at, last.status, last.error_class, last.excerpt,
  arrived.delivered_at, first_behind.sequenced_at as behind_since
from hook_subscriptions
left join lateral (
  select hook_attempts.cursor, hook_attempts.started_at, hook_attempts.status, hook_attempts.error_class,
    hook_attempts.excerpt
  from hook_attempts where hook_attempts.subscription_id = hook_subscriptions.id
  order by hook_attempts.cursor desc, hook_attempts.started_at desc limit 1
) as last on true
left join lateral (
  select hook_attempts.started_at as delivered_at from hook_attempts
  where hook_attempts.subscription_id = hook_subscriptions.id and hook_attempts.outcome = 'd'
  order by hook_attempts.cursor desc, hook_attempts.started_at desc
  limit 1
) as arrived on true
left join lateral (
  select min(next.sequenced_at) as sequenced_at
  from unnest(hook_subscriptions.event_types) as wanted (event_type)
  cross join lateral (
    select event_cursors.sequenced_at
    from event_cursors
    where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, hook_subscriptions.cursor)
      and (event_cursors.event_type, event_cursors.cursor) < (wanted.event_type, 9223372036854775807)
    order by event_cursors.event_type, event_cursors.cursor
    limit 1
  ) as next
) as first_behind on true
where hook_subscriptions.deleted_at is null and ($1 is null or hook_subscriptions.id = $1)
order by hook_subscriptions.created_at desc, hook_subscriptions.id desc;
