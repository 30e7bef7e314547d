-- What a scrape of /metrics shows of the whole workspace, in one row: how far the feed is, what waits for its cursor,
-- what waits to be delivered, how the subscriptions fare. Counts end at $1: a scrape costs the same however long the
-- queue is. Ages are by the database's clock.
--
-- $1 count_max  no more is counted
--
-- Uses event_outbox_pkey, events_pkey, hook_subscriptions_pkey, hook_positions_pkey, hook_queue_due_idx and
-- hook_leases_subscription_idx: three looks per subscription for the oldest delivery.
prepare get_gauges (integer) as
select feed.head, feed.horizon,
  (select extract(epoch from now() - events.sequenced_at)
    from events
    where events.cursor = feed.head) as head_age,
  (select count(*)::integer from pg_inherits where pg_inherits.inhparent = 'events'::regclass) as partitions,
  (select count(*)::integer from (select from event_outbox limit $1) as counted) as outbox,
  (select extract(epoch from now() - event_outbox.occurred_at)
    from event_outbox
    order by event_outbox.outbox_id
    limit 1) as outbox_age,
  (select count(*)::integer
    from (select from hook_queue limit $1) as counted) as pending,
  (select extract(epoch from now() - min(oldest.due_at))
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
    where hook_subscriptions.active and oldest.due_at <= now()) as due_age,
  subscriptions.active, subscriptions.failing, subscriptions.paused
from feed
cross join (
  select
    (count(*) filter (where hook_subscriptions.active and hook_subscriptions.consecutive_failures = 0))::integer as active,
    (count(*) filter (where hook_subscriptions.active and hook_subscriptions.consecutive_failures > 0))::integer as failing,
    (count(*) filter (where not hook_subscriptions.active))::integer as paused
  from hook_subscriptions
) as subscriptions;
