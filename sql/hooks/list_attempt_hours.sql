-- Attempts to deliver to one subscription in 24 hours, by hour and outcome, the oldest hour first.
--
-- $1 subscription_id
--
-- @uses hook_attempts_started_idx
-- @not_null hour, outcome, attempts
prepare list_attempt_hours (uuid) as
select date_trunc('hour', hook_attempts.started_at) as hour,
  case hook_attempts.outcome when 'd' then 'delivered' when 'r' then 'retried' else 'failed' end as outcome,
  count(*)::integer as attempts
from hook_attempts
where hook_attempts.started_at > now() - interval '24 hours' and hook_attempts.subscription_id = $1
group by hour, hook_attempts.outcome
order by hour, outcome;
