-- The attempts of one delivery, in the order they were made, for the owner.
--
-- $1 subscription_id
-- $2 cursor           below 0: a test event
--
-- @uses hook_positions_subscription_id_key, hook_attempts_pkey
prepare list_attempts (uuid, bigint) as
select hook_attempts.started_at, hook_attempts.duration_ms, hook_attempts.attempt, hook_attempts.status,
  hook_attempts.error_class, hook_attempts.excerpt, hook_attempts.headers
from hook_attempts
where hook_attempts.no = (select hook_positions.no from hook_positions where hook_positions.subscription_id = $1)
  and hook_attempts.cursor = $2
order by hook_attempts.started_at;
