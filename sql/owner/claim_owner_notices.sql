-- Takes the notices that are due, for one attempt each: if it fails, or the process dies, they are due again, ever
-- later, until they are a day old. A test is tried once. With how its subscription fares now, and where the owner
-- wants it.
--
-- $1 is_set     whether the process knows where to, so that the owner need not have entered it
-- $2 retry_ms   until they are due again for the first time; then twice as long, 32 times at most
-- $3 row_limit
--
-- @uses owner_notices_created_idx, owner_notices_pkey, hook_subscriptions_pkey, hook_attempts_pkey
-- @not_null id, created_at: of a row that was claimed
prepare claim_owner_notices (boolean, integer, integer) as
with due as materialized (
  select owner_notices.id
  from owner_notices
  where owner_notices.sent_at is null
    and owner_notices.due_at <= now() and owner_notices.created_at > now() - interval '1 day'
    and case when owner_notices.failures is null then owner_notices.attempts = 0
      else exists (select from hook_subscriptions where hook_subscriptions.id = owner_notices.subscription_id) end
    and ($1 or exists (select from notice_settings where notice_settings.mail_to is not null))
  order by owner_notices.created_at, owner_notices.failures, owner_notices.id
  limit $3
  for update skip locked
),
claimed as (
  update owner_notices
  set attempts = owner_notices.attempts + 1,
    due_at = now() + $2 * (1 << least(owner_notices.attempts, 5)) * interval '1 millisecond'
  where owner_notices.id = any (array(select due.id from due))
  returning owner_notices.id, owner_notices.failures, owner_notices.created_at, owner_notices.subscription_id
)
select claimed.id, claimed.failures, claimed.created_at, claimed.subscription_id, hook_subscriptions.label,
  hook_subscriptions.target_url, hook_subscriptions.failing_since, last.status, last.error_class,
  notice_settings.mail_to, notice_settings.language
from claimed
cross join notice_settings
left join hook_subscriptions on hook_subscriptions.id = claimed.subscription_id
left join lateral (
  select hook_attempts.status, hook_attempts.error_class
  from hook_attempts
  where hook_attempts.subscription_id = claimed.subscription_id
  order by hook_attempts.cursor desc, hook_attempts.started_at desc
  limit 1
) as last on true;
