-- Makes deliveries due anew, at once; the attempts before it stay. What waits for its turn is on its way already: it
-- counts, and nothing changes. Left out is what is being sent, whose event is gone or none that the subscription gets; all
-- where the subscription is paused or deleted. One row with how many; they are remembered, see hook_redeliveries.
--
-- $1 subscription_id
-- $2 cursors          below 0: a test event
--
-- @uses hook_subscriptions_pkey, hook_retries_pkey, hook_failures_pkey, hook_skips_pkey, hook_attempts_pkey
-- @uses event_cursors_pkey, events_pkey, hook_test_events_pkey
-- @not_null deliveries: a count
prepare update_deliveries_redelivered (uuid, bigint[]) as
-- Locked first, as by all that changes several of its retries and failures: no two of them wait for each other.
with subscription as materialized (
  select hook_positions.no, hook_positions.cursor, hook_subscriptions.event_types
  from hook_subscriptions
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where hook_subscriptions.id = $1 and hook_subscriptions.active
  for no key update of hook_subscriptions
),
delivery as (
  select subscription.no, wanted.cursor,
    (subscription.cursor < wanted.cursor or exists (
      select from hook_skips
      where hook_skips.no = subscription.no and hook_skips.catching_up and hook_skips.to_cursor >= wanted.cursor and hook_skips.from_cursor < wanted.cursor))
    and not exists (select from hook_retries where hook_retries.no = subscription.no and hook_retries.cursor = wanted.cursor)
    and not exists (select from hook_failures where hook_failures.no = subscription.no and hook_failures.cursor = wanted.cursor)
    and not exists (
      select from hook_attempts
      where hook_attempts.no = subscription.no and hook_attempts.cursor = wanted.cursor and hook_attempts.outcome <> 'r') as in_turn
  from subscription
  cross join (select distinct unnest($2) as cursor) as wanted
  where exists (select from hook_test_events where hook_test_events.cursor = wanted.cursor and hook_test_events.no = subscription.no)
    or exists (
      select from event_cursors
      join events on events.log_id = event_cursors.log_id
      where event_cursors.cursor = wanted.cursor and event_cursors.event_type = any (subscription.event_types))
),
due as (
  insert into hook_retries (no, cursor)
  select delivery.no, delivery.cursor
  from delivery
  where not delivery.in_turn
  on conflict (no, cursor) do update set attempts = 0, due_at = excluded.due_at, created_at = excluded.created_at
  where hook_retries.taken_by is distinct from (select hook_positions.fence from hook_positions where hook_positions.no = excluded.no)
  returning hook_retries.no, hook_retries.cursor
),
no_failure as (
  delete from hook_failures
  using due
  where hook_failures.no = due.no and hook_failures.cursor = due.cursor
),
remembered as (
  insert into hook_redeliveries (no, cursors)
  select due.no, array_agg(due.cursor)
  from due
  group by due.no
  on conflict (no) do update set cursors = excluded.cursors, created_at = excluded.created_at
)
select (select count(*) from due)::integer + (select count(*) from delivery where delivery.in_turn)::integer as deliveries,
  pg_notify('hooks_changed', '')::text as notified;
