-- Gives a subscription a new signing secret. The old one goes on signing next to it for the time of the overlap, and
-- leads in the header that holds one signature. A rotation within the overlap ends the one before: its oldest secret no
-- longer signs, so it is made only if asked for. One row, or none: there is no such subscription, or its old secret
-- leads.
--
-- $1 id
-- $2 secret           encrypted
-- $3 overlap_seconds
-- $4 again            also while the old secret of a rotation leads
--
-- @uses hook_subscriptions_pkey
prepare update_hook_secret (uuid, text, integer, boolean) as
update hook_subscriptions
set old_secret = hook_subscriptions.secret,
  old_secret_until = now() + make_interval(secs => $3),
  old_secret_leads = true,
  secret = $2
where hook_subscriptions.id = $1 and hook_subscriptions.deleted_at is null
  and ($4 or not hook_subscriptions.old_secret_leads or hook_subscriptions.old_secret_until is null
    or hook_subscriptions.old_secret_until <= now())
returning hook_subscriptions.id, hook_subscriptions.old_secret_until;
