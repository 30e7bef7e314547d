-- How deliveries to each subscription fare.

create or replace function duration_bucket(duration_ms integer) returns smallint
  language sql immutable
  return width_bucket(duration_ms, array[5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2500, 5000, 10000])::smallint;
comment on function duration_bucket is 'Which of 18 durations in milliseconds an attempt has; the dashboard knows the same bounds.';

-- An attempt is recorded within a minute of its start.
create or replace function update_hook_health(moment timestamptz) returns integer
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
declare
  lower_bound timestamptz;
  upper_bound timestamptz := moment - interval '1 minute';
  touched integer;
begin
  select hook_health_state.counted_to into lower_bound from hook_health_state for update;
  if upper_bound <= lower_bound then
    return 0;
  end if;
  with minutes as (
    select attempt.no, date_trunc('minute', attempt.started_at) as minute, attempt.outcome, attempt.reason, attempt.bucket,
      count(*) as attempts, min(attempt.started_at) as first_at, max(attempt.started_at) as last_at
    from hook_attempts_counted as attempt
    where attempt.started_at >= lower_bound and attempt.started_at < upper_bound
    group by attempt.no, minute, attempt.outcome, attempt.reason, attempt.bucket
  )
  insert into hook_health (no, unit, at, outcome, reason, bucket, attempts, first_at, last_at)
  select minutes.no, unit.short, date_trunc(unit.name, minutes.minute), minutes.outcome, minutes.reason, minutes.bucket, sum(minutes.attempts),
    min(minutes.first_at), max(minutes.last_at)
  from minutes
  cross join (values ('m'::"char", 'minute'), ('h'::"char", 'hour')) as unit (short, name)
  group by 1, 2, 3, 4, 5, 6
  on conflict (no, unit, at, outcome, reason, bucket) do update set attempts = hook_health.attempts + excluded.attempts,
    first_at = least(hook_health.first_at, excluded.first_at), last_at = greatest(hook_health.last_at, excluded.last_at);
  get diagnostics touched = row_count;
  update hook_health_state set counted_to = upper_bound;
  delete from hook_health where hook_health.unit = 'm' and hook_health.at < moment - interval '2 hours';
  delete from hook_health where hook_health.unit = 'h' and hook_health.at < moment - interval '31 days';
  return touched;
end
$$;
comment on function update_hook_health is 'Adds attempts that started up to a minute ago to hook_health, and forgets what is older than it keeps; how many rows it touched.';
