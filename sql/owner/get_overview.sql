-- Whether all is well, in one row: where the feed stands, what waits for its cursor, what waits to be delivered.
--
-- $1 count_max  no more is counted
--
-- Uses event_outbox_pkey, hook_subscriptions_pkey and hook_deliveries_pending_idx: one look per subscription for
-- the oldest delivery.
prepare get_overview (integer) as
select feed.head, feed.horizon,
  (select count(*)::integer from (select from event_outbox limit $1) as counted) as unsequenced,
  (select event_outbox.occurred_at from event_outbox order by event_outbox.outbox_id limit 1) as unsequenced_since,
  (select count(*)::integer from (select from hook_deliveries where hook_deliveries.state = 'pending' limit $1) as counted) as pending,
  (select min(oldest.due_at)
    from hook_subscriptions
    cross join lateral (
      select hook_deliveries.due_at
      from hook_deliveries
      where hook_deliveries.subscription_id = hook_subscriptions.id and hook_deliveries.state = 'pending'
      order by hook_deliveries.due_at, hook_deliveries.id
      limit 1
    ) as oldest
    where hook_subscriptions.active and oldest.due_at <= now()) as due_since,
  now() as at
from feed;
