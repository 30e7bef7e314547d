-- What the leader has to know of the subscriptions that it delivers to: where to send, how to sign, how far each is.
--
-- Reads the whole table: there are at most HOOKS_MAX.
-- @uses hook_outstanding_due_idx
-- @not_null target_url, secret: null in deleted rows alone
-- @not_null waiting: a count
prepare list_active_hooks as
select hook_subscriptions.id, hook_subscriptions.target_url, hook_subscriptions.event_types, hook_subscriptions.secret,
  hook_subscriptions.old_secret, hook_subscriptions.old_secret_until, hook_subscriptions.old_secret_leads,
  hook_subscriptions.cursor, hook_subscriptions.version, hook_subscriptions.replayed_version,
  hook_subscriptions.consecutive_failures,
  (select count(*)::integer
    from (
      select from hook_outstanding
      where hook_outstanding.subscription_id = hook_subscriptions.id and hook_outstanding.due_at is not null
      limit 10001
    ) as counted) as waiting
from hook_subscriptions
where hook_subscriptions.active and hook_subscriptions.deleted_at is null
order by hook_subscriptions.id;
