-- How far one event came at each subscription that lists its type or received it: delivered, failed, waiting for an
-- attempt, or pending: not tried yet. attempts: how many were made.
--
-- $1 cursor
--
-- @uses event_cursors_pkey, hook_outstanding_pkey, hook_attempts_pkey
-- @not_null id, active: of the subscription itself
-- @not_null state, attempts
prepare list_event_deliveries (bigint) as
select hook_subscriptions.id, hook_subscriptions.label, hook_subscriptions.target_url, hook_subscriptions.active,
  case when waiting.due_at is not null then 'waiting' when waiting.cursor is not null then 'failed'
    when tried.delivered then 'delivered' else 'pending' end as state,
  waiting.due_at, coalesce(tried.attempts, 0) as attempts, tried.last_at
from event_cursors
join hook_subscriptions on event_cursors.event_type = any (hook_subscriptions.event_types)
left join hook_outstanding as waiting
  on waiting.subscription_id = hook_subscriptions.id and waiting.cursor = event_cursors.cursor
left join lateral (
  select count(*)::integer as attempts, bool_or(hook_attempts.outcome = 'd') as delivered,
    max(hook_attempts.started_at) as last_at
  from hook_attempts
  where hook_attempts.subscription_id = hook_subscriptions.id and hook_attempts.cursor = event_cursors.cursor
) as tried on true
where event_cursors.cursor = $1
  and (tried.attempts > 0 or waiting.cursor is not null
    or hook_subscriptions.deleted_at is null and hook_subscriptions.cursor < event_cursors.cursor)
order by hook_subscriptions.created_at, hook_subscriptions.id;
