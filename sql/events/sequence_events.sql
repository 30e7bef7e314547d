-- Moves visible events from the outbox into the feed, in the order of their ids, and gives them the next
-- cursors, under the lock of feed's row, which makes cursors visible strictly in order. While another process
-- holds it there is nothing to do: no row.
-- The lock tells the head as it is at that moment. What another process moved between this statement's snapshot
-- and its lock is still to be seen in the outbox, but cannot be deleted a second time, so it is not moved again.
-- An event that a long transaction commits later simply gets a later cursor.
-- Every subscription that lists an event's type gets its delivery here, in the same transaction: pending, or
-- skipped while it is paused.
-- One notification per batch, for readers and deliveries. One row if anything was moved, else none.
--
-- $1 row_limit
--
-- Uses event_outbox_pkey; adds to events_pkey, events_type_idx, hook_deliveries_pkey, hook_deliveries_state_idx
-- and hook_deliveries_pending_idx.
prepare sequence_events (integer) as
with locked as (
  select feed.head
  from feed
  for update skip locked
),
next as (
  select event_outbox.outbox_id
  from event_outbox
  where exists (select from locked)
  order by event_outbox.outbox_id
  limit $1
),
taken as (
  delete from event_outbox
  using next
  where event_outbox.outbox_id = next.outbox_id
  returning event_outbox.outbox_id, event_outbox.id, event_outbox.event_type, event_outbox.schema_version,
    event_outbox.occurred_at, event_outbox.object_type, event_outbox.object_id, event_outbox.links, event_outbox.data
),
numbered as (
  select locked.head + row_number() over (order by taken.outbox_id) as cursor, taken.id, taken.event_type,
    taken.schema_version, taken.occurred_at, taken.object_type, taken.object_id, taken.links, taken.data
  from taken, locked
),
stored as (
  insert into events (cursor, id, event_type, schema_version, occurred_at, object_type, object_id, links, data)
  select cursor, id, event_type, schema_version, occurred_at, object_type, object_id, links, data
  from numbered
  returning events.cursor, events.event_type
),
wanted as (
  select hook_subscriptions.id, hook_subscriptions.active, listed.event_type
  from hook_subscriptions
  cross join lateral unnest(hook_subscriptions.event_types) as listed (event_type)
),
delivered as (
  insert into hook_deliveries (subscription_id, cursor, state, ended_at)
  select wanted.id, stored.cursor, case when wanted.active then 'pending' else 'skipped' end,
    case when not wanted.active then now() end
  from stored
  join wanted on wanted.event_type = stored.event_type
  order by stored.cursor, wanted.id
  returning hook_deliveries.state
),
batch as (
  select count(*)::integer as moved, max(stored.cursor) as head
  from stored
)
update feed
set head = batch.head, idle = false
from batch, pg_notify('event_sequenced', '')
where batch.moved > 0
returning batch.moved, (select count(*)::integer from delivered where delivered.state = 'pending') as deliveries,
  feed.head;
