-- Takes due deliveries to send them now, oldest first within a subscription, under a claim nobody else has.
-- No subscription gets more than its share: subscriptions with work take turns in random order, so that none
-- starves behind one with a long queue. One row per delivery. One row per subscription tells of it, and one per cursor
-- of its event, with the exact body to send: many subscriptions get the same. Where none does, the subscription is
-- deleted, or the event is gone, erased or expired.
-- Deliveries left over by a paused or deleted subscription are skipped on the way, some at a time.
--
-- $1 claim
-- $2 lease_ms          after this long somebody else may take the delivery
-- $3 total_room        most to take
-- $4 other_room        most to take of a subscription that is not in $5
-- $5 subscription_ids  those with a room of their own
-- $6 rooms             most to take of each of these; below 1: none
--
-- Uses hook_deliveries_pending_idx, hook_subscriptions_pkey, hook_deliveries_pkey and events_pkey.
prepare claim_deliveries (uuid, integer, integer, integer, uuid[], integer[]) as
with recursive waiting as (
  -- One look into the index per subscription, however many deliveries each has.
  (select hook_deliveries.subscription_id
  from hook_deliveries
  where hook_deliveries.state = 'pending'
  order by hook_deliveries.subscription_id
  limit 1)
  union all
  select next.subscription_id
  from waiting
  cross join lateral (
    select hook_deliveries.subscription_id
    from hook_deliveries
    where hook_deliveries.state = 'pending' and hook_deliveries.subscription_id > waiting.subscription_id
    order by hook_deliveries.subscription_id
    limit 1
  ) as next
),
turns as (
  select waiting.subscription_id, hook_subscriptions.active is true as active,
    coalesce(known.room, $4) as room
  from waiting
  left join hook_subscriptions on hook_subscriptions.id = waiting.subscription_id
  left join unnest($5, $6) as known (subscription_id, room) on known.subscription_id = waiting.subscription_id
  order by random()
),
due as (
  select found.id
  from turns
  cross join lateral (
    select hook_deliveries.id
    from hook_deliveries
    where hook_deliveries.subscription_id = turns.subscription_id and hook_deliveries.state = 'pending'
      and hook_deliveries.due_at <= now()
      and (hook_deliveries.claimed_until is null or hook_deliveries.claimed_until <= now())
    order by hook_deliveries.due_at, hook_deliveries.id
    limit greatest(turns.room, 0)
    for update skip locked
  ) as found
  where turns.active
  limit $3
),
left_over as (
  select found.id
  from turns
  cross join lateral (
    select hook_deliveries.id
    from hook_deliveries
    where hook_deliveries.subscription_id = turns.subscription_id and hook_deliveries.state = 'pending'
      and (hook_deliveries.claimed_until is null or hook_deliveries.claimed_until <= now())
    limit 1000
    for update skip locked
  ) as found
  where not turns.active
),
skipped as (
  update hook_deliveries
  set state = 'skipped', ended_at = now(), claim = null, claimed_until = null,
    maybe_sent = hook_deliveries.maybe_sent or hook_deliveries.claim is not null
  where hook_deliveries.id = any (array(select left_over.id from left_over))
),
claimed as (
  update hook_deliveries
  set claim = $1, claimed_until = now() + $2 * interval '1 millisecond',
    -- Whoever let a claim lapse may have sent it.
    maybe_sent = hook_deliveries.maybe_sent or hook_deliveries.claim is not null
  -- As an array, for which the index is the only way; a join may read the whole table, when the limit of a plan
  -- made for any values looks like many.
  where hook_deliveries.id = any (array(select due.id from due))
  returning hook_deliveries.id, hook_deliveries.subscription_id, hook_deliveries.cursor, hook_deliveries.test_event,
    hook_deliveries.attempts
),
-- Which of the rows tells of its subscription, and which of its event.
told as (
  select claimed.id, claimed.subscription_id, claimed.cursor, claimed.test_event, claimed.attempts,
    row_number() over (partition by claimed.subscription_id) = 1 as tells_subscription,
    row_number() over (partition by claimed.cursor) = 1 as tells_event
  from claimed
)
-- Each row looked up by itself: the plan is made once, perhaps while a table is empty, and must not join them all.
select told.id, told.subscription_id, told.cursor, told.attempts, subscription.target_url, subscription.secret,
  subscription.old_secret, subscription.old_secret_leads, coalesce(event.id::text, told.test_event ->> 'id') as event_id,
  coalesce(row_to_json(event)::text, told.test_event::text) as body
from told
left join lateral (
  select hook_subscriptions.target_url, hook_subscriptions.secret,
    case when hook_subscriptions.old_secret_until > now() then hook_subscriptions.old_secret end as old_secret,
    hook_subscriptions.old_secret_leads
  from hook_subscriptions
  where hook_subscriptions.id = told.subscription_id and told.tells_subscription
  limit 1
) as subscription on true
left join lateral (
  select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type, events.object_id,
    events.links, events.data
  from events
  where events.cursor = told.cursor and told.tells_event
  limit 1
) as event on true
order by told.id;
