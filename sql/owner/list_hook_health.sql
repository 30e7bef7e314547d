-- How deliveries fared since a moment, a row for each subscription that had an attempt: what is counted in hook_health, and
-- the attempts since.
--
-- steps: number of the step, outcome and attempts, such as "0d12 0f1 3d7". buckets: duration and attempts, such as "2:14 3:6".
-- reasons: [reason, attempts, first_at, last_at] of attempts that failed.
--
-- $1 id?    of one subscription; null: all
-- $2 since  when the step with the number 0 begins
-- $3 unit   m: from the minutes, h: from the hours
-- $4 step_seconds
--
-- @uses hook_health_pkey, hook_positions_pkey, hook_positions_subscription_id_key, hook_attempts_started_idx
-- @not_null subscription_id: attempts go with their subscription
prepare list_hook_health (uuid, timestamptz, text, integer) as
with counted as (
  select hook_health.no, hook_health.at, hook_health.outcome, hook_health.reason, hook_health.bucket, hook_health.attempts,
    hook_health.first_at, hook_health.last_at
  from hook_health
  where hook_health.unit = $3::"char" and hook_health.at >= $2
    and ($1 is null or hook_health.no = (select hook_positions.no from hook_positions where hook_positions.subscription_id = $1))
  union all
  select attempt.no, attempt.started_at, attempt.outcome, attempt.reason, attempt.bucket, 1, attempt.started_at, attempt.started_at
  from attempts_between(greatest($2, (select hook_health_state.counted_to from hook_health_state)), 'infinity') as attempt
  where ($1 is null or attempt.no = (select hook_positions.no from hook_positions where hook_positions.subscription_id = $1))
),
grouped as (
  select counted.no, date_bin(make_interval(secs => $4), counted.at, $2) as step, counted.outcome, counted.bucket, counted.reason,
    sum(counted.attempts) as attempts, min(counted.first_at) as first_at, max(counted.last_at) as last_at, grouping(counted.bucket, counted.reason) as kind
  from counted
  group by grouping sets (
    (counted.no, date_bin(make_interval(secs => $4), counted.at, $2), counted.outcome),
    (counted.no, counted.bucket),
    (counted.no, counted.reason))
)
select (select hook_positions.subscription_id from hook_positions where hook_positions.no = grouped.no) as subscription_id,
  string_agg((extract(epoch from grouped.step - $2) / $4)::integer || grouped.outcome::text || grouped.attempts, ' ') filter (where grouped.kind = 3) as steps,
  string_agg(grouped.bucket || ':' || grouped.attempts, ' ') filter (where grouped.kind = 1) as buckets,
  json_agg(json_build_array(grouped.reason, grouped.attempts, grouped.first_at, grouped.last_at))
    filter (where grouped.kind = 2 and grouped.reason <> '') as reasons
from grouped
group by grouped.no;
