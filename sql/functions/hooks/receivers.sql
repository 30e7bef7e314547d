-- How far events came, at each subscription that lists their type.

-- One look into each table for each subscription, however many events there are; what the looks found is grouped, not joined.
create or replace function event_receivers(cursors bigint[]) returns table (cursor bigint, subscription_id uuid, state text, ended_at timestamptz)
  language sql stable rows 1000
  set plan_cache_mode = force_custom_plan as $$
with found as (
  select hook_positions.no, event_cursors.cursor, 6 as rank, null::timestamptz as ended_at
  from event_cursors
  join hook_subscriptions on event_cursors.event_type = any (hook_subscriptions.event_types)
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where event_cursors.cursor = any (cursors)
  union all
  select attempt.no, attempt.cursor, case attempt.outcome when 'd' then 3 when 'f' then 4 else 5 end,
    attempt.started_at + attempt.duration_ms * interval '1 millisecond'
  from hook_positions
  cross join lateral (
    select hook_attempts.no, hook_attempts.cursor, hook_attempts.outcome, hook_attempts.started_at, hook_attempts.duration_ms
    from hook_attempts
    where hook_attempts.no = hook_positions.no and hook_attempts.cursor = any (cursors)
    order by hook_attempts.cursor
  ) as attempt
  union all
  select due.no, due.cursor, 1, null
  from hook_positions
  cross join lateral (
    select hook_retries.no, hook_retries.cursor
    from hook_retries
    where hook_retries.no = hook_positions.no and hook_retries.cursor = any (cursors)
    order by hook_retries.cursor
  ) as due
  union all
  select failure.no, failure.cursor, 2, null
  from hook_positions
  cross join lateral (
    select hook_failures.no, hook_failures.cursor
    from hook_failures
    where hook_failures.no = hook_positions.no and hook_failures.cursor = any (cursors)
    order by hook_failures.cursor
  ) as failure
),
known as (
  select found.no, found.cursor, min(found.rank) as rank, max(found.ended_at) as ended_at
  from found
  group by found.no, found.cursor
  having max(found.rank) = 6
),
reached as materialized (
  select hook_positions.no, hook_positions.subscription_id, hook_positions.cursor,
    coalesce((select max(hook_skips.to_cursor) from hook_skips where hook_skips.no = hook_positions.no), 0) as skipped_to
  from hook_positions
)
select known.cursor, reached.subscription_id,
  case
    when known.rank < 5 then (array['pending', 'failed', 'delivered', 'failed'])[known.rank]
    when known.cursor > reached.skipped_to then case when known.cursor > reached.cursor then 'pending' end
    else coalesce(
      (select case when hook_skips.catching_up then 'pending' else 'skipped' end
      from hook_skips
      where hook_skips.no = known.no and hook_skips.to_cursor >= known.cursor and hook_skips.from_cursor < known.cursor
      order by hook_skips.to_cursor
      limit 1),
      case when known.cursor > reached.cursor then 'pending' end)
  end,
  known.ended_at
from known
join reached on reached.no = known.no
$$;
comment on function event_receivers is 'How far events came at each subscription that lists their type; state is null where an event never was to be delivered.';
