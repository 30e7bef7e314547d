-- The attempts of one delivery, in the order they were made, for the owner.
--
-- $1 delivery_id
--
-- Uses hook_outcomes_pkey and hook_other_attempts_pkey.
prepare list_attempts (bigint) as
select hook_attempts.claim, hook_attempts.started_at, hook_attempts.duration_ms, hook_attempts.status,
  hook_attempts.error_class, hook_attempts.excerpt
from hook_attempts
where hook_attempts.delivery_id = $1
order by hook_attempts.started_at, hook_attempts.claim;
