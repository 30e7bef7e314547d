-- Attempts to deliver, by five minutes: how many were accepted, how many were not. Five minutes without any have no row.
--
-- $1 since
--
-- Uses hook_outcomes_started_idx and hook_other_attempts_started_idx.
prepare count_recent_attempts (timestamptz) as
select date_bin('5 minutes', hook_attempts.started_at, '2000-01-01T00:00:00Z') as at,
  count(*) filter (where hook_attempts.error_class is null)::integer as accepted,
  count(hook_attempts.error_class)::integer as failed
from hook_attempts
where hook_attempts.started_at >= $1
group by date_bin('5 minutes', hook_attempts.started_at, '2000-01-01T00:00:00Z');
