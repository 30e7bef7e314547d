-- Moves visible events from the outbox into the feed, in the order of their ids, and gives them the next
-- cursors. Runs in one transaction after claim_feed, whose lock makes cursors visible strictly in order.
-- An event that a long transaction commits later simply gets a later cursor.
-- One notification per batch, for readers and deliveries. One row if anything was moved, else none.
--
-- $1 row_limit
--
-- Uses event_outbox_pkey; adds to events_pkey and events_type_idx.
prepare sequence_events (integer) as
with next as (
  select event_outbox.outbox_id
  from event_outbox
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
  select feed.head + row_number() over (order by taken.outbox_id) as cursor, taken.id, taken.event_type, taken.schema_version,
    taken.occurred_at, taken.object_type, taken.object_id, taken.links, taken.data
  from taken, feed
),
stored as (
  insert into events (cursor, id, event_type, schema_version, occurred_at, object_type, object_id, links, data)
  select cursor, id, event_type, schema_version, occurred_at, object_type, object_id, links, data
  from numbered
  returning events.cursor
),
batch as (
  select count(*)::integer as moved, max(stored.cursor) as head
  from stored
)
update feed
set head = batch.head, idle = false
from batch, pg_notify('event_sequenced', '')
where batch.moved > 0
returning batch.moved, feed.head;
