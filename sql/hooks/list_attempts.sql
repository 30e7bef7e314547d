-- Every attempt to deliver one event to one subscription, in the order in which they were made.
--
-- $1 subscription_id
-- $2 cursor
--
-- @not_null outcome: a choice of three
-- @uses hook_attempts_pkey
prepare list_attempts (uuid, bigint) as
select hook_attempts.started_at, hook_attempts.duration_ms, hook_attempts.attempt, hook_attempts.status,
  case hook_attempts.outcome when 'd' then 'delivered' when 'r' then 'retry' else 'failed' end as outcome,
  hook_attempts.error_class, hook_attempts.excerpt, hook_attempts.headers
from hook_attempts
where hook_attempts.subscription_id = $1 and hook_attempts.cursor = $2
order by hook_attempts.started_at;
