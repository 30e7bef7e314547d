-- Moves visible events from the outbox into the feed, in the order of their ids, and gives them the next
-- cursors, under the lock of feed's row, which makes cursors visible strictly in order. While another process
-- holds it there is nothing to do: no row.
-- The lock tells the head as it is at that moment. What another process moved between this statement's snapshot
-- and its lock is still to be seen in the outbox, but cannot be deleted a second time, so it is not moved again.
-- An event that a long transaction commits later simply gets a later cursor.
-- Every subscription that lists an event's type gets its delivery here, in the same transaction: pending, or
-- skipped while it is paused. What the caller has room for is claimed as it comes, so that it can be sent without a
-- second statement; with a total_room of 0 nothing is.
-- One notification per batch: for readers, and where some deliveries are left to be claimed with a payload, the name of
-- whoever sequences: he knows already.
-- No row if nothing was moved; else those that claim_deliveries answers with, at least one, each telling of the batch as
-- well.
--
-- $1 row_limit
-- $2 claim
-- $3 lease_ms          after this long somebody else may take what was claimed
-- $4 total_room        most to claim
-- $5 other_room        most to claim of a subscription that is not in $6
-- $6 subscription_ids  those with a room of their own
-- $7 rooms             most to claim of each of these; below 1: none
-- $8 sequenced_by
--
-- Uses event_outbox_pkey; adds to events_pkey, events_type_idx, hook_queue_pkey, hook_queue_due_idx, hook_outcomes_pkey
-- and hook_outcomes_state_idx.
prepare sequence_events (integer, uuid, integer, integer, integer, uuid[], integer[], text) as
with locked as (
  select feed.head
  from feed
  -- A look that finds nothing writes nothing.
  where exists (select from event_outbox)
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
  -- As an array, for which the index is the only way: the plan may have been made while the outbox was empty.
  where event_outbox.outbox_id = any (array(select next.outbox_id from next))
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
-- By type, so that an event meets the few types there are and not every subscription.
wanted as materialized (
  select listed.event_type, array_agg(hook_subscriptions.id) as ids, array_agg(hook_subscriptions.active) as actives,
    array_agg(coalesce(known.room, $5)) as rooms
  from hook_subscriptions
  left join unnest($6, $7) as known (subscription_id, room) on known.subscription_id = hook_subscriptions.id
  cross join lateral unnest(hook_subscriptions.event_types) as listed (event_type)
  group by listed.event_type
),
queued as (
  select one.subscription_id, stored.cursor, one.active,
    one.active
      and row_number() over (partition by one.subscription_id order by stored.cursor) <= one.room as fits
  from stored
  join wanted on wanted.event_type = stored.event_type
  cross join lateral unnest(wanted.ids, wanted.actives, wanted.rooms) as one (subscription_id, active, room)
),
placed as (
  select queued.subscription_id, queued.cursor, queued.active,
    queued.fits
      and count(*) filter (where queued.fits) over (order by queued.cursor, queued.subscription_id) <= $4 as claimed
  from queued
),
-- With their ids, in the order of cursors: hook_positions counts on it.
delivered as (
  select nextval('hook_queue_id_seq') as id, ordered.subscription_id, ordered.cursor, ordered.active, ordered.claimed
  from (
    select placed.subscription_id, placed.cursor, placed.active, placed.claimed
    from placed
    order by placed.cursor, placed.subscription_id
  ) as ordered
),
queued_up as (
  insert into hook_queue (id, subscription_id, cursor, claim, due_at)
  select delivered.id, delivered.subscription_id, delivered.cursor, case when delivered.claimed then $2 end,
    case when delivered.claimed then now() + $3 * interval '1 millisecond' end
  from delivered
  where delivered.active
),
skipped as (
  insert into hook_outcomes (id, subscription_id, cursor, state, attempts, created_at)
  select delivered.id, delivered.subscription_id, delivered.cursor, 'skipped', 0, now()
  from delivered
  where not delivered.active
),
batch as (
  select count(*)::integer as moved, max(stored.cursor) as head,
    (select count(*)::integer from delivered where delivered.active and not delivered.claimed) as unclaimed
  from stored
),
advanced as (
  update feed
  set head = batch.head, idle = false
  from batch, pg_notify('event_sequenced', case when batch.unclaimed > 0 then $8 else '' end)
  where batch.moved > 0
  returning batch.moved, batch.unclaimed
)
select advanced.moved, advanced.unclaimed, taking.subscription_id, taking.target_url, taking.secret, taking.old_secret,
  taking.old_secret_leads, taking.ids, taking.cursors, taking.attempts, taking.cursor, taking.body
from advanced
left join (
  select lists.subscription_id, subscription.target_url, subscription.secret, subscription.old_secret,
    subscription.old_secret_leads, lists.ids, lists.cursors, lists.attempts, null::bigint as cursor, null as body
  from (
    select delivered.subscription_id, json_agg(delivered.id order by delivered.id)::text as ids,
      json_agg(delivered.cursor order by delivered.id)::text as cursors,
      json_agg(0)::text as attempts
    from delivered
    where delivered.claimed
    group by delivered.subscription_id
  ) as lists
  left join lateral (
    select hook_subscriptions.target_url, hook_subscriptions.secret,
      case when hook_subscriptions.old_secret_until > now() then hook_subscriptions.old_secret end as old_secret,
      hook_subscriptions.old_secret_leads
    from hook_subscriptions
    where hook_subscriptions.id = lists.subscription_id
    limit 1
  ) as subscription on true
  union all
  -- Of all up to the last that was claimed: who is not given one has no room, or it is of a type nobody lists.
  select null, null, null, null, null, null, null, null, numbered.cursor, row_to_json(body)::text
  from numbered
  cross join lateral (
    select numbered.id, numbered.event_type, numbered.schema_version, numbered.occurred_at, numbered.object_type,
      numbered.object_id, numbered.links, numbered.data
  ) as body
  where numbered.cursor <= (select max(delivered.cursor) from delivered where delivered.claimed)
) as taking on true;
