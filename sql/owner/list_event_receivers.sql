-- Who gets some events, for the owner: a row for each of them and each subscription that lists its type, with how far that
-- came. state is null where the event never was to be delivered: the subscription was made, or lists the type, only since.
--
-- $1 cursors
--
-- One look into each table for each subscription, however many events there are.
--
-- @uses event_cursors_pkey, hook_positions_subscription_id_key, hook_attempts_pkey, hook_retries_pkey, hook_failures_pkey, hook_skips_pkey
-- @not_null cursor, subscription_id: of the event and the subscription; the outer joins are to what came of it
prepare list_event_receivers (bigint[]) as
with chosen as (
  select event_cursors.cursor, event_cursors.event_type
  from event_cursors
  where event_cursors.cursor = any ($1)
),
tried as (
  select attempt.no, attempt.cursor, bool_or(attempt.outcome = 'd') as delivered, bool_or(attempt.outcome = 'f') as failed,
    max(attempt.started_at + attempt.duration_ms * interval '1 millisecond') as ended_at
  from hook_positions
  cross join lateral (
    select hook_attempts.no, hook_attempts.cursor, hook_attempts.outcome, hook_attempts.started_at, hook_attempts.duration_ms
    from hook_attempts
    where hook_attempts.no = hook_positions.no and hook_attempts.cursor = any ($1)
    order by hook_attempts.cursor
  ) as attempt
  group by attempt.no, attempt.cursor
),
waiting as (
  select due.no, due.cursor
  from hook_positions
  cross join lateral (
    select hook_retries.no, hook_retries.cursor
    from hook_retries
    where hook_retries.no = hook_positions.no and hook_retries.cursor = any ($1)
    order by hook_retries.cursor
  ) as due
),
failures as (
  select failure.no, failure.cursor
  from hook_positions
  cross join lateral (
    select hook_failures.no, hook_failures.cursor
    from hook_failures
    where hook_failures.no = hook_positions.no and hook_failures.cursor = any ($1)
    order by hook_failures.cursor
  ) as failure
)
select chosen.cursor, hook_subscriptions.id as subscription_id,
  case
    when waiting.cursor is not null then 'pending'
    when failures.cursor is not null then 'failed'
    when tried.delivered then 'delivered'
    when tried.failed then 'failed'
    else coalesce(
      (select case when hook_skips.catching_up then 'pending' else 'skipped' end
      from hook_skips
      where hook_skips.no = hook_positions.no and hook_skips.to_cursor >= chosen.cursor and hook_skips.from_cursor < chosen.cursor
      order by hook_skips.to_cursor
      limit 1),
      case when chosen.cursor > hook_positions.cursor then 'pending' end)
  end as state,
  tried.ended_at
from chosen
join hook_subscriptions on chosen.event_type = any (hook_subscriptions.event_types)
join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
left join tried on tried.no = hook_positions.no and tried.cursor = chosen.cursor
left join waiting on waiting.no = hook_positions.no and waiting.cursor = chosen.cursor
left join failures on failures.no = hook_positions.no and failures.cursor = chosen.cursor
order by chosen.cursor desc, hook_subscriptions.created_at desc, hook_subscriptions.id desc;
