-- Subscriptions with deliveries whose next attempt is due, the one that waits longest first.
--
-- @uses hook_outstanding_due_idx
-- @not_null due_at: of the row that is due
prepare list_due_hooks as
select hook_subscriptions.id, due.due_at
from hook_subscriptions
cross join lateral (
  select hook_outstanding.due_at
  from hook_outstanding
  where hook_outstanding.subscription_id = hook_subscriptions.id and hook_outstanding.due_at <= now()
  order by hook_outstanding.due_at
  limit 1
) as due
where hook_subscriptions.active
order by due.due_at;
