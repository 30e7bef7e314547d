-- Dismisses the failures of a subscription, as far as its position goes, and the note of what expired. One row, or
-- none: there is no such subscription.
--
-- $1 id
--
-- @uses hook_outstanding_failed_idx
-- @not_null dismissed
prepare delete_hook_failures (uuid) as
with failed as (
  delete from hook_outstanding
  using hook_subscriptions
  where hook_outstanding.subscription_id = $1 and hook_subscriptions.id = $1
    and hook_outstanding.due_at is null and hook_outstanding.cursor <= hook_subscriptions.cursor
  returning hook_outstanding.cursor
)
update hook_subscriptions
set missed_from = null, missed_to = null
where id = $1 and deleted_at is null
returning (select count(*)::integer from failed) as dismissed;
