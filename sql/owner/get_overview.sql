-- Whether all is well, in one row: where the feed stands, what waits for its cursor, what waits to be delivered, and
-- how many requests were granted in the last 60 seconds, in any process.
--
-- $1 count_max  no more is counted
--
-- Uses event_outbox_pkey, hook_subscriptions_pkey, hook_positions_pkey, hook_queue_due_idx and
-- hook_leases_subscription_idx: three looks per subscription for the oldest delivery.
prepare get_overview (integer) as
select feed.head, feed.horizon,
  (select count(*)::integer from (select from event_outbox limit $1) as counted) as unsequenced,
  (select event_outbox.occurred_at from event_outbox order by event_outbox.outbox_id limit 1) as unsequenced_since,
  (select count(*)::integer from (select from hook_queue limit $1) as counted) as pending,
  (select min(oldest.due_at)
    from hook_subscriptions
    join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
    cross join lateral (
      (select hook_queue.created_at as due_at
      from hook_queue
      where hook_queue.subscription_id = hook_subscriptions.id and hook_queue.due_at is null
        and hook_queue.id > hook_positions.taken_id
      order by hook_queue.due_at, hook_queue.id
      limit 1)
      union all
      (select hook_queue.due_at
      from hook_queue
      where hook_queue.subscription_id = hook_subscriptions.id and hook_queue.due_at is not null
      order by hook_queue.due_at, hook_queue.id
      limit 1)
      union all
      -- Of a process that is gone, until somebody claims.
      (select hook_leases.lapses_at
      from hook_leases
      where hook_leases.subscription_id = hook_subscriptions.id and hook_leases.lapses_at <= now()
      order by hook_leases.lapses_at
      limit 1)
    ) as oldest
    where hook_subscriptions.active and oldest.due_at <= now()) as due_since,
  (select coalesce(sum(
      rate_windows.totals[cardinality(rate_windows.totals)]
        - case when older.place = 0 then rate_windows.expired else rate_windows.totals[older.place] end), 0)::integer
    from rate_windows
    cross join lateral (
      select width_bucket(floor(extract(epoch from now()))::bigint - 60, rate_windows.seconds) as place
    ) as older) as requests,
  now() as at
from feed;
