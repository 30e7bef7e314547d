-- Makes deliveries due anew, at once; the attempts before it stay. What waits for its turn is on its way already: it
-- counts, and nothing changes. Left out is what is being sent, whose event is gone or none that the subscription gets; all
-- where the subscription is paused or deleted. Ranges that were passed over lose what is sent of them. One row with how
-- many; they are remembered, see hook_redeliveries.
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
  select hook_positions.no, hook_positions.cursor, hook_positions.fence, hook_subscriptions.event_types
  from hook_subscriptions
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where hook_subscriptions.id = $1 and hook_subscriptions.active
  for no key update of hook_subscriptions
),
delivery as (
  select subscription.no, wanted.cursor, known.untried and known.outcomes is null and (subscription.cursor < wanted.cursor or range.catching_up is true) as in_turn,
    case when known.untried and not range.catching_up and range.reason = 'paused' and 'd' <> all (coalesce(known.outcomes, '{}'))
      then range.to_cursor end as missed_to
  from subscription
  cross join (select distinct unnest($2) as cursor) as wanted
  cross join lateral (
    select not exists (select from hook_retries where hook_retries.no = subscription.no and hook_retries.cursor = wanted.cursor)
      and not exists (select from hook_failures where hook_failures.no = subscription.no and hook_failures.cursor = wanted.cursor) as untried, (
        select array_agg(hook_attempts.outcome) from hook_attempts
        where hook_attempts.no = subscription.no and hook_attempts.cursor = wanted.cursor and hook_attempts.outcome <> 'r') as outcomes
  ) as known
  left join lateral (
    select hook_skips.to_cursor, hook_skips.catching_up, hook_skips.reason
    from hook_skips
    where hook_skips.no = subscription.no and hook_skips.to_cursor >= wanted.cursor and hook_skips.from_cursor < wanted.cursor
    order by hook_skips.to_cursor
    limit 1
  ) as range on true
  -- What was being sent before the lock was there may have arrived by now.
  where not exists (select from hook_retries where (hook_retries.no, hook_retries.cursor, hook_retries.taken_by) = (subscription.no, wanted.cursor, subscription.fence))
    and (exists (select from hook_test_events where hook_test_events.cursor = wanted.cursor and hook_test_events.no = subscription.no)
      or exists (
        select from event_cursors join events on events.log_id = event_cursors.log_id
        where event_cursors.cursor = wanted.cursor and event_cursors.event_type = any (subscription.event_types)))
),
due as (
  insert into hook_retries (no, cursor)
  select delivery.no, delivery.cursor
  from delivery
  where not delivery.in_turn
  on conflict (no, cursor) do update set attempts = 0, due_at = excluded.due_at, created_at = excluded.created_at
  where hook_retries.taken_by is distinct from (select hook_positions.fence from hook_positions where hook_positions.no = excluded.no)
  -- Not new: another one sent it again while this waited for the subscription.
  returning hook_retries.no, hook_retries.cursor, hook_retries.xmax = 0 as is_new
),
no_failure as (
  delete from hook_failures
  using due
  where hook_failures.no = due.no and hook_failures.cursor = due.cursor
),
-- They are missed no longer, whatever becomes of them. Where the number of a range would be used up, what is left is counted.
missed as materialized (
  select hook_skips.no, hook_skips.to_cursor, hook_skips.events as was,
    case when hook_skips.events > sent.count then hook_skips.events
      else count_events(sent.event_types, hook_skips.from_cursor, hook_skips.to_cursor)
        - count_ended(hook_skips.no, sent.event_types, hook_skips.from_cursor, hook_skips.to_cursor) end - sent.count as remaining
  from (
    select due.no, delivery.missed_to, subscription.event_types, count(*) as count
    from due join delivery on delivery.cursor = due.cursor and due.is_new and delivery.missed_to is not null cross join subscription
    group by due.no, delivery.missed_to, subscription.event_types
  ) as sent
  join hook_skips on hook_skips.no = sent.no and hook_skips.to_cursor = sent.missed_to
),
fewer as (
  -- Another one may have taken some while this waited for the subscription.
  update hook_skips set events = greatest(0, missed.remaining + hook_skips.events - missed.was)
  from missed
  where missed.remaining > 0 and hook_skips.no = missed.no and hook_skips.to_cursor = missed.to_cursor and not hook_skips.catching_up
),
none_left as (
  delete from hook_skips
  using missed
  where missed.remaining <= 0 and hook_skips.no = missed.no and hook_skips.to_cursor = missed.to_cursor and not hook_skips.catching_up
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
