-- Attempts to deliver to one subscription in 24 hours by outcome, a row for every hour, the oldest first.
--
-- $1 subscription_id
--
-- @uses hook_attempts_started_idx
-- @not_null hour, delivered, retried, failed
prepare list_attempt_hours (uuid) as
with counted as (
  select date_trunc('hour', hook_attempts.started_at) as hour,
    count(*) filter (where hook_attempts.outcome = 'd') as delivered,
    count(*) filter (where hook_attempts.outcome = 'r') as retried,
    count(*) filter (where hook_attempts.outcome = 'f') as failed
  from hook_attempts
  where hook_attempts.started_at > now() - interval '24 hours' and hook_attempts.subscription_id = $1
  group by hour
)
select hours.hour, coalesce(counted.delivered, 0)::integer as delivered,
  coalesce(counted.retried, 0)::integer as retried, coalesce(counted.failed, 0)::integer as failed
from generate_series(date_trunc('hour', now()) - interval '23 hours', now(), interval '1 hour') as hours (hour)
left join counted on counted.hour = hours.hour
order by hours.hour;
