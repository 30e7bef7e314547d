-- Takes deliveries to send them now, oldest first within a subscription: what is due by the clock, one by one under a
-- claim nobody else has; then what waits for its turn, as a range from hook_positions on, for which one row of
-- hook_leases holds the claim, so that no delivery is written.
-- No subscription gets more than its share: subscriptions with work take turns in random order, so that none
-- starves behind one with a long queue.
-- Two kinds of rows. One per subscription, with what was taken of it as lists of the same length, in the order of ids:
-- ids, cursors, attempts. And one per event, by its cursor, with the exact body to send: many subscriptions get the same.
-- Where none comes the event is gone, erased or expired. A test event has the id of its delivery, negative, in place of a
-- cursor.
-- Deliveries left over by a paused or deleted subscription are skipped on the way, some at a time, and what is left of
-- leases that lapsed becomes due. Waits for nobody: what somebody else has locked is left for the next time. A row of a
-- subscription without ids tells that it has work, and that somebody else was at its position.
--
-- $1 claim
-- $2 lease_ms          after this long somebody else may take the delivery
-- $3 total_room        most to take
-- $4 other_room        most to take of a subscription that is not in $5
-- $5 subscription_ids  those with a room of their own
-- $6 rooms             most to take of each of these; below 1: none
--
-- Uses hook_queue_due_idx, hook_queue_pkey, hook_positions_pkey, hook_leases_lapse_idx,
-- hook_leases_pkey, hook_subscriptions_pkey and events_pkey; adds to hook_outcomes_pkey and hook_outcomes_state_idx.
prepare claim_deliveries (uuid, integer, integer, integer, uuid[], integer[]) as
with lapsing as (
  select hook_leases.claim, hook_leases.subscription_id, hook_leases.first_id, hook_leases.last_id
  from hook_leases
  where hook_leases.lapses_at <= now()
  -- In this order by the index, which forgets the entries of those that are gone.
  order by hook_leases.lapses_at
  limit 1000
  for update skip locked
),
unrecorded as (
  select found.id, lapsing.claim, lapsing.subscription_id
  from lapsing
  cross join lateral (
    select hook_queue.id
    from hook_queue
    where hook_queue.subscription_id = lapsing.subscription_id and hook_queue.due_at is null
      and hook_queue.id between lapsing.first_id and lapsing.last_id
    order by hook_queue.due_at, hook_queue.id
    -- More than one claim takes. For the planner, which would sort all there is.
    limit 10000
    for update skip locked
  ) as found
),
-- The next claim takes them. Until then whoever had them may still record what came of them.
overdue as (
  update hook_queue
  set due_at = now(), maybe_sent = true, claim = (
    select lapsing.claim
    from lapsing
    where lapsing.subscription_id = hook_queue.subscription_id
      and hook_queue.id between lapsing.first_id and lapsing.last_id
    -- Ranges overlap only where somebody has set a position back by hand; then either will do, and claiming goes on.
    limit 1)
  where hook_queue.id = any (array(select unrecorded.id from unrecorded))
),
lapsed as (
  delete from hook_leases
  using lapsing
  where hook_leases.claim = lapsing.claim and hook_leases.subscription_id = lapsing.subscription_id
    -- Only when all that is left was locked above: what somebody is recording at this moment, and more than 10,000, wait
    -- for the next claim.
    and (
      select count(*)
      from hook_queue
      where hook_queue.subscription_id = lapsing.subscription_id and hook_queue.due_at is null
        and hook_queue.id between lapsing.first_id and lapsing.last_id
    ) = (select count(*) from unrecorded where unrecorded.claim = lapsing.claim
      and unrecorded.subscription_id = lapsing.subscription_id)
),
turns as (
  select hook_positions.subscription_id, hook_positions.version, hook_subscriptions.active is true as active,
    coalesce(known.room, $4) as room
  from hook_positions
  left join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
  left join unnest($5, $6) as known (subscription_id, room) on known.subscription_id = hook_positions.subscription_id
  -- One look into the index each, however many deliveries there are.
  cross join lateral (
    (select true as found
    from hook_queue
    where hook_queue.subscription_id = hook_positions.subscription_id and hook_queue.due_at <= now()
    order by hook_queue.due_at, hook_queue.id
    limit 1)
    union all
    (select true
    from hook_queue
    where hook_queue.subscription_id = hook_positions.subscription_id and hook_queue.due_at is null
      and hook_queue.id > hook_positions.taken_id
    -- By due_at too: else the primary key would do, which has the ids of all subscriptions.
    order by hook_queue.due_at, hook_queue.id
    limit 1)
    limit 1
  ) as work
  order by random()
),
due as (
  select found.id, turns.subscription_id
  from turns
  cross join lateral (
    select hook_queue.id
    from hook_queue
    where hook_queue.subscription_id = turns.subscription_id and hook_queue.due_at <= now()
    order by hook_queue.due_at, hook_queue.id
    limit greatest(turns.room, 0)
    for update skip locked
  ) as found
  where turns.active
  limit $3
),
-- How far each is taken, as the lock tells it, which may be later than this statement's snapshot.
held as (
  select hook_positions.subscription_id, hook_positions.taken_id, hook_positions.version
  from hook_positions
  where hook_positions.subscription_id = any (array(
    select turns.subscription_id from turns where turns.room > 0 or not turns.active))
  for update skip locked
),
taken as (
  select found.id, found.subscription_id, found.cursor, found.test_event, found.attempts
  from turns
  join held on held.subscription_id = turns.subscription_id
    -- Between the snapshot and the lock some of it was erased, or skipped: it would still be seen here. Next time.
    and held.version = turns.version
  cross join lateral (
    select hook_queue.id, hook_queue.subscription_id, hook_queue.cursor, hook_queue.test_event, hook_queue.attempts
    from hook_queue
    where hook_queue.subscription_id = turns.subscription_id and hook_queue.due_at is null
      and hook_queue.id > held.taken_id
    order by hook_queue.due_at, hook_queue.id
    limit greatest(turns.room - (select count(*) from due where due.subscription_id = turns.subscription_id), 0)
  ) as found
  where turns.active
  limit $3 - (select count(*) from due)
),
ranges as (
  select taken.subscription_id, min(taken.id) as first_id, max(taken.id) as last_id
  from taken
  group by taken.subscription_id
),
moved as (
  update hook_positions
  set taken_id = ranges.last_id
  from ranges
  where hook_positions.subscription_id = ranges.subscription_id
),
leased as (
  insert into hook_leases (claim, subscription_id, first_id, last_id, lapses_at)
  select $1, ranges.subscription_id, ranges.first_id, ranges.last_id, now() + $2 * interval '1 millisecond'
  from ranges
),
unwanted as (
  select found.id
  from turns
  cross join lateral (
    select hook_queue.id
    from hook_queue
    where hook_queue.subscription_id = turns.subscription_id and hook_queue.due_at <= now()
    order by hook_queue.due_at, hook_queue.id
    limit 1000
    for update skip locked
  ) as found
  where not turns.active
  union all
  select found.id
  from turns
  join held on held.subscription_id = turns.subscription_id
  cross join lateral (
    select hook_queue.id
    from hook_queue
    where hook_queue.subscription_id = turns.subscription_id and hook_queue.due_at is null
      and hook_queue.id > held.taken_id
    order by hook_queue.due_at, hook_queue.id
    limit 1000
    for update skip locked
  ) as found
  where not turns.active
),
dropped as (
  delete from hook_queue
  where hook_queue.id = any (array(select unwanted.id from unwanted))
  returning hook_queue.id, hook_queue.subscription_id, hook_queue.cursor, hook_queue.test_event, hook_queue.attempts,
    hook_queue.created_at, hook_queue.maybe_sent or hook_queue.claim is not null as maybe_sent
),
skipped as (
  insert into hook_outcomes (id, subscription_id, cursor, test_event, state, attempts, created_at, maybe_sent)
  select dropped.id, dropped.subscription_id, dropped.cursor, dropped.test_event, 'skipped', dropped.attempts,
    dropped.created_at, dropped.maybe_sent
  from dropped
),
-- Who has a snapshot from before would still take them.
changed as (
  update hook_positions
  set version = hook_positions.version + 1
  where hook_positions.subscription_id = any (array(select dropped.subscription_id from dropped))
),
claimed as (
  update hook_queue
  set claim = $1, due_at = now() + $2 * interval '1 millisecond',
    -- Whoever let a claim lapse may have sent it.
    maybe_sent = hook_queue.maybe_sent or hook_queue.claim is not null
  -- As an array, for which the index is the only way; a join may read the whole table, when the limit of a plan
  -- made for any values looks like many.
  where hook_queue.id = any (array(select due.id from due))
  returning hook_queue.id, hook_queue.subscription_id, hook_queue.cursor, hook_queue.test_event, hook_queue.attempts
),
mine as (
  select claimed.id, claimed.subscription_id, claimed.cursor, claimed.test_event, claimed.attempts
  from claimed
  union all
  select taken.id, taken.subscription_id, taken.cursor, taken.test_event, taken.attempts
  from taken
),
lists as (
  select mine.subscription_id, json_agg(mine.id order by mine.id)::text as ids,
    json_agg(coalesce(mine.cursor, -mine.id) order by mine.id)::text as cursors,
    json_agg(mine.attempts order by mine.id)::text as attempts
  from mine
  group by mine.subscription_id
)
select lists.subscription_id, subscription.target_url, subscription.secret, subscription.old_secret,
  subscription.old_secret_leads, lists.ids, lists.cursors, lists.attempts, null::bigint as cursor, null as body
from lists
-- Each looked up by itself: the plan is made once, perhaps while a table is empty, and must not join them all.
left join lateral (
  select hook_subscriptions.target_url, hook_subscriptions.secret,
    case when hook_subscriptions.old_secret_until > now() then hook_subscriptions.old_secret end as old_secret,
    hook_subscriptions.old_secret_leads
  from hook_subscriptions
  where hook_subscriptions.id = lists.subscription_id
  limit 1
) as subscription on true
union all
select null, null, null, null, null, null, null, null, event.cursor, row_to_json(event.body)::text
from (
  select events.cursor, body
  from events
  cross join lateral (
    select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type,
      events.object_id, events.links, events.data
  ) as body
  where events.cursor = any (array(select mine.cursor from mine))
    -- Leaves partitions out, for which PostgreSQL 15 does not take a list.
    and events.cursor between (select min(mine.cursor) from mine) and (select max(mine.cursor) from mine)
) as event
union all
select null, null, null, null, null, null, null, null, -mine.id, mine.test_event::text
from mine
where mine.test_event is not null
union all
select turns.subscription_id, null, null, null, null, null, null, null, null, null
from turns
where turns.active and turns.room > 0 and turns.subscription_id not in (select held.subscription_id from held);
