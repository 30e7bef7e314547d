-- How deliveries to each subscription fare.

create or replace function duration_bucket(duration_ms integer) returns smallint
  language sql immutable
  return width_bucket(duration_ms, array[5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2500, 5000, 10000])::smallint;
comment on function duration_bucket is 'Which of 18 durations in milliseconds an attempt has; the dashboard knows the same bounds.';

-- The primary key ends with the time, and a planner to which pages here and there are cheap reads all of it. With these
-- settings it takes hook_attempts_started_idx.
create or replace function attempts_between(since timestamptz, before timestamptz)
  returns table (no integer, started_at timestamptz, outcome "char", reason text, bucket smallint)
  language plpgsql stable rows 1000
  set plan_cache_mode = force_custom_plan set enable_indexscan = off set random_page_cost = 4 as $$
begin
  return query
    select attempt.no, attempt.started_at::timestamptz, attempt.outcome, attempt.reason, attempt.bucket
    from hook_attempts_counted as attempt
    where attempt.started_at >= since and attempt.started_at < before;
end
$$;
comment on function attempts_between is 'Attempts that started from a moment on and before another.';

-- An attempt that is recorded more than a minute after its start is not counted.
create or replace function update_hook_health(moment timestamptz) returns integer
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
declare
  lower_bound timestamptz;
  upper_bound timestamptz := moment - interval '1 minute';
  touched integer;
begin
  select hook_health_state.counted_to into lower_bound from hook_health_state for update;
  -- The clock was ahead and has gone back: counting begins anew with the last hour that was counted before.
  if lower_bound > moment + interval '1 hour' then
    lower_bound := greatest(
      date_trunc('hour', moment - interval '1 day'),
      (select max(hook_health.at) from hook_health where hook_health.unit = 'h' and hook_health.at <= moment));
    delete from hook_health where hook_health.at >= lower_bound;
  end if;
  if upper_bound <= lower_bound then
    return 0;
  end if;
  with minutes as (
    select attempt.no, date_trunc('minute', attempt.started_at) as minute, attempt.outcome, attempt.reason, attempt.bucket,
      count(*) as attempts, min(attempt.started_at) as first_at, max(attempt.started_at) as last_at
    from attempts_between(lower_bound, upper_bound) as attempt
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
revoke execute on function update_hook_health from public;
