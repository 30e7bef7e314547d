-- Takes due deliveries, oldest first, for the worker that owns their subscriptions. Skips those the worker lists as in flight;
-- taken_by does not decide, because an earlier answer may have been lost. body is null when the event was erased, or its type
-- taken from the subscription.
--
-- $1 nos
-- $2 fences
-- $3 capacities         so many of each at most
-- $4 row_limit          so many of all
-- $5 under_way_nos      what the worker is sending or recording
-- $6 under_way_cursors
--
-- @uses hook_retries_due_idx, hook_positions_pkey: once for each subscription
-- @uses event_cursors_pkey, events_pkey, hook_test_events_pkey
-- @not_null no, cursor, attempts: of the retry; the outer joins are to its event
prepare claim_retries (integer[], integer[], integer[], integer, integer[], bigint[]) as
with waiting as (
  select of_one.ctid, owned.no
  from unnest($1, $2, $3) as owned (no, fence, capacity)
  join hook_positions on hook_positions.no = owned.no and hook_positions.fence = owned.fence
  cross join lateral (
    select hook_retries.ctid, hook_retries.due_at, hook_retries.cursor
    from hook_retries
    where hook_retries.no = owned.no and hook_retries.due_at <= now()
      and (hook_retries.no, hook_retries.cursor) not in (select under_way.no, under_way.cursor from unnest($5, $6) as under_way (no, cursor))
    order by hook_retries.due_at, hook_retries.cursor
    limit owned.capacity
  ) as of_one
  order by of_one.due_at, of_one.cursor
  limit $4
),
-- Waits for an erasure, whose report has what was taken before.
locked as materialized (
  select hook_positions.no
  from hook_positions
  where hook_positions.no = any (array(select waiting.no from waiting))
  order by hook_positions.no
  for key share
),
due as (
  select hook_retries.ctid
  from hook_retries
  where hook_retries.ctid = any (array(select waiting.ctid from waiting)) and hook_retries.due_at <= now()
    and hook_retries.no = any (array(select locked.no from locked))
  for update skip locked
),
taken as (
  update hook_retries
  set taken_by = (select owned.fence from unnest($1, $2) as owned (no, fence) where owned.no = hook_retries.no)
  where hook_retries.ctid = any (array(select due.ctid from due))
  returning hook_retries.no, hook_retries.cursor, hook_retries.attempts
)
select taken.no, taken.cursor, taken.attempts, taken.cursor < 0 as test,
  coalesce(logged.id, (tested.envelope ->> 'id')::uuid) as event_id,
  (extract(epoch from logged.occurred_at) * 1000)::bigint as occurred_ms,
  coalesce(tested.envelope::text, case when logged.id is not null then row_to_json(logged)::text end) as body
from taken
left join hook_test_events as tested on tested.cursor = taken.cursor
left join lateral (
  select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type, events.object_id,
    events.links, events.data
  from events
  where events.log_id = (select event_cursors.log_id from event_cursors where event_cursors.cursor = taken.cursor)
    and events.event_type = any ((
      select hook_subscriptions.event_types
      from hook_subscriptions
      join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
      where hook_positions.no = taken.no)::text[])
  offset 0
) as logged on true;
