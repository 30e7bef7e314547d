-- Retention of the feed: whole partitions go, those of the cursors together with the horizon, in one transaction.

-- Closes the current partition of event_cursors when its oldest cursor is older than a day, or than a thirtieth of the
-- retention time if that is less. Without this a quiet feed would keep everything in one partition that never becomes old
-- enough as a whole. So would one that begins with the time of a clock that was ahead and went back. The head moves to the
-- last cursor of the partition.
create or replace function close_cursor_partition(keep interval, at timestamptz) returns void
  language plpgsql set search_path = public, pg_temp as $$
declare
  head constant bigint := (select feed_state.head from feed_state);
  last_of_partition constant bigint := (head - 1) / events_partition_width() * events_partition_width() + events_partition_width();
  oldest constant timestamptz := (
    select event_cursors.sequenced_at from event_cursors
    where event_cursors.cursor > last_of_partition - events_partition_width() order by event_cursors.cursor limit 1);
begin
  if head < last_of_partition and (oldest <= at - least(interval '1 day', keep / 30) or oldest > at + interval '1 day') then
    perform make_feed_partition('event_cursors', last_of_partition + 1);
    -- A crash must not take back a head that a reader has.
    perform set_config('synchronous_commit', 'local', true) where current_setting('synchronous_commit') = 'off';
    update feed set head_floor = last_of_partition where feed.head_floor < last_of_partition;
  end if;
end
$$;
comment on function close_cursor_partition is 'Called by prune_events: begins a new partition of event_cursors.';

-- Cursors are given out in the order of time: the first ones of later partitions are younger than all of this one. They tell
-- where its own times are of a clock that was ahead and went back. Its first cursor tells, too, where the clock of its last was behind.
create or replace function newest_sequenced_at(first_cursor bigint, last_cursor bigint, at timestamptz) returns timestamptz
  language sql stable set search_path = public, pg_temp
  return (
    with own as (
      select greatest(
        (select case when event_cursors.sequenced_at <= at then event_cursors.sequenced_at end from event_cursors
        where event_cursors.cursor between first_cursor and last_cursor order by event_cursors.cursor limit 1),
        (select event_cursors.sequenced_at from event_cursors
        where event_cursors.cursor between first_cursor and last_cursor order by event_cursors.cursor desc limit 1)) as sequenced_at
    )
    select case when own.sequenced_at <= at then own.sequenced_at else coalesce((
      select later.sequenced_at
      from feed_partitions
      cross join lateral (
        select event_cursors.sequenced_at from event_cursors
        where event_cursors.cursor between feed_partitions.first and feed_partitions.last order by event_cursors.cursor limit 1
      ) as later
      where feed_partitions.parent = 'event_cursors' and feed_partitions.first > last_cursor and later.sequenced_at <= at
      order by feed_partitions.first
      limit 1), own.sequenced_at) end
    from own);
comment on function newest_sequenced_at is 'Called by prune_events: when the newest cursor of a partition was given out, as far as the clock tells.';

create or replace function is_awaited(up_to bigint) returns boolean
  language plpgsql stable set search_path = public, pg_temp as $$
begin
  return exists (
    select from hook_positions
    join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
    where hook_subscriptions.active and (
      hook_positions.cursor < up_to and has_events(hook_subscriptions.event_types, hook_positions.cursor, up_to)
      or exists (select from hook_retries where hook_retries.no = hook_positions.no and hook_retries.cursor between 1 and up_to)
      or exists (
        select from hook_skips
        where hook_skips.no = hook_positions.no and hook_skips.catching_up and hook_skips.from_cursor < up_to)));
end
$$;
comment on function is_awaited is 'Called by prune_events: whether an event with a cursor up to this one is still to be delivered.';

-- One pass over the feed, however many subscriptions are behind: events are counted between one position and the next. What
-- ended above a position or in a range is subtracted: a position is up to a second old, and older while a request takes long.
create or replace function count_expired(below bigint)
  returns table (no integer, from_cursor bigint, to_cursor bigint, events bigint)
  language plpgsql stable set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  edges bigint[] := array(
    select hook_positions.cursor from hook_positions where hook_positions.cursor < below and hook_positions.deleted_at is null
    union
    select hook_skips.from_cursor from hook_skips where hook_skips.from_cursor < below and hook_skips.to_cursor > below
    order by 1);
begin
  if edges = '{}' then
    return;
  end if;
  return query
  with counted as materialized (
    select width_bucket(event_cursors.cursor - 1, edges) as edge, event_cursors.event_type, count(*) as events
    from event_cursors
    where event_cursors.cursor > edges[1] and event_cursors.cursor <= below
    group by width_bucket(event_cursors.cursor - 1, edges), event_cursors.event_type
  ),
  behind as (
    select hook_positions.no, hook_positions.subscription_id, hook_positions.cursor as from_cursor, null::bigint as to_cursor
    from hook_positions
    where hook_positions.cursor < below and hook_positions.deleted_at is null
    union all
    select hook_skips.no, hook_positions.subscription_id, hook_skips.from_cursor, hook_skips.to_cursor
    from hook_skips
    join hook_positions on hook_positions.no = hook_skips.no
    where hook_skips.from_cursor < below and hook_skips.to_cursor > below
  )
  select behind.no, behind.from_cursor, behind.to_cursor, coalesce(sum(counted.events), 0)::bigint
    - count_ended(behind.no, hook_subscriptions.event_types, behind.from_cursor, below)
  from behind
  join hook_subscriptions on hook_subscriptions.id = behind.subscription_id
  left join counted on counted.event_type = any (hook_subscriptions.event_types)
    and counted.edge >= array_position(edges, behind.from_cursor)
  group by behind.no, behind.from_cursor, behind.to_cursor, hook_subscriptions.event_types;
end
$$;
comment on function count_expired is 'Called by expire_hook_positions: how many events up to a cursor the subscriptions behind it have not got; to_cursor: of this range, null: of the position.';

-- A position in the range that goes moves to its end, a range that is caught up with begins there. What was not delivered
-- is kept as a range with its number of events. A new fence tells the worker.
create or replace function expire_hook_positions(below bigint) returns void
  language plpgsql set search_path = public, pg_temp as $$
begin
  update hook_skips
  set reason = 'expired', catching_up = false, created_at = now(),
    -- Its types may be others by now, and the attempts in it may have gone before.
    events = least(hook_skips.events, count_events(hook_subscriptions.event_types, hook_skips.from_cursor, hook_skips.to_cursor)
      - count_ended(hook_skips.no, hook_subscriptions.event_types, hook_skips.from_cursor, hook_skips.to_cursor))
  from hook_positions
  join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
  where hook_positions.no = hook_skips.no and hook_skips.to_cursor <= below and hook_skips.reason <> 'expired';
  with behind as materialized (
    -- Of a range no more than it has.
    select expired.no, expired.from_cursor, expired.to_cursor, least(expired.events, hook_skips.events) as events
    from count_expired(below) as expired
    left join hook_skips on hook_skips.no = expired.no and hook_skips.to_cursor = expired.to_cursor
  ),
  cut as (
    update hook_skips
    set events = hook_skips.events - behind.events, from_cursor = below
    from behind
    where hook_skips.no = behind.no and hook_skips.to_cursor = behind.to_cursor
  ),
  waiting as (
    -- count_ended has subtracted these, above the position and in ranges. What arrived before it was sent again is not lost,
    -- nor is what would not be sent any more.
    select hook_retries.no, min(hook_retries.cursor) - 1 as from_cursor, count(*) as events
    from hook_retries
    join hook_positions on hook_positions.no = hook_retries.no
    join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
    join event_cursors on event_cursors.cursor = hook_retries.cursor and event_cursors.event_type = any (hook_subscriptions.event_types)
    where hook_retries.cursor between 1 and below and not exists (
      select from hook_attempts
      where hook_attempts.no = hook_retries.no and hook_attempts.cursor = hook_retries.cursor and hook_attempts.outcome = 'd' offset 0)
    group by hook_retries.no
  ),
  lost as (
    select behind.no, behind.from_cursor, behind.events from behind
    union all
    select waiting.no, waiting.from_cursor, waiting.events from waiting
  )
  insert into hook_skips (no, from_cursor, to_cursor, reason, events)
  select lost.no, min(lost.from_cursor), below, 'expired', sum(lost.events)
  from lost
  where lost.events > 0
  group by lost.no
  on conflict (no, to_cursor) do update
    set from_cursor = least(hook_skips.from_cursor, excluded.from_cursor), events = hook_skips.events + excluded.events;
  update hook_positions
  set cursor = greatest(cursor, below), claimed_to = greatest(claimed_to, below), fence = fence + 1
  where deleted_at is null and (
    cursor < below
    or exists (select from hook_skips where hook_skips.no = hook_positions.no and hook_skips.catching_up and hook_skips.from_cursor = below));
  if found then
    perform pg_notify('hooks_changed', '');
  end if;
  delete from hook_retries where cursor between 1 and below;
  delete from hook_failures where cursor between 1 and below;
end
$$;
comment on function expire_hook_positions is 'Called by prune_events: nothing waits for an event that is gone.';

-- Drops partitions of event_cursors of which every event has expired, from the oldest on, and moves the horizon past them.
-- Age counts from sequenced_at, so a long transaction's events are not already expired. What is not delivered yet holds its
-- partition for a day at most.
-- One partition a run may have expired before the process began to watch the time (uptime): a clock that jumps forward
-- then costs a partition a run, and not the feed.
-- Dropping waits for readers in flight, and later readers wait behind it: for lock_timeout at most, then it fails with
-- 55P03 and is to be tried again. It comes last, because everything waits from there on.
create or replace function prune_events(
    keep interval, at timestamptz, uptime interval, out horizon bigint, out partitions_dropped integer, out partitions_left integer)
  language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  candidate record;
  newest_cursor bigint;
  newest_at timestamptz;
  settled bigint;
  unexplained integer := 0;
  expired regclass[] := '{}';
  partition regclass;
begin
  perform take_lock('prune_events');
  horizon := (select feed.horizon from feed);
  -- Where the row of feed_floor is lost, nothing is settled.
  settled := coalesce((select feed_settled.cursor from feed_settled), 0);
  partitions_left := 0;
  for candidate in
    select * from feed_partitions
    where parent = 'event_cursors' and last <= (select feed_state.head from feed_state)
    order by first
  loop
    newest_cursor := (
      select event_cursors.cursor from event_cursors
      where event_cursors.cursor between candidate.first and candidate.last order by event_cursors.cursor desc limit 1);
    newest_at := newest_sequenced_at(candidate.first, candidate.last, at);
    exit when newest_at > at - keep
      or newest_at > at - keep - interval '1 day' and is_awaited(newest_cursor);
    unexplained := unexplained + coalesce(newest_at <= at - keep - uptime, false)::integer;
    -- Of an event above the settled part the sequencer would not know any more that it had a cursor.
    if unexplained > 1 or newest_cursor > settled then
      partitions_left := partitions_left + 1;
    else
      -- The last event's cursor, not the partition's: a reader that has all of it is not behind.
      horizon := greatest(horizon, newest_cursor);
      expired := expired || candidate.partition;
    end if;
  end loop;
  partitions_dropped := cardinality(expired);
  if partitions_dropped > 0 then
    perform expire_hook_positions(horizon);
  end if;
  perform close_cursor_partition(keep, at), make_feed_partitions();
  foreach partition in array expired loop
    execute format('drop table %s', partition);
  end loop;
  update feed set horizon = prune_events.horizon where feed.horizon < prune_events.horizon;
end
$$;
comment on function prune_events is 'Drops what the feed need not keep any more, and makes the next partitions ahead. partitions_left: expired, and left for the next runs.';
revoke execute on function prune_events from public;

-- Drops the partitions of events that prune_events has left without a cursor. Closes the current one when its oldest event
-- is older than a day, or than a thirtieth of the retention time, or of a clock that was ahead: the next id is the first of
-- the next partition.
-- Behind the lock no writer is between drawing an id and inserting it. It waits for writers in flight as well, for
-- lock_timeout at most, then it fails with 55P03 and is to be tried again.
create or replace function prune_log(keep interval, at timestamptz) returns integer
  language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  width constant bigint := events_partition_width();
  last_of_partition constant bigint := (select (last_value - 1) / width * width + width from events_log_id_seq);
  oldest constant timestamptz := (
    select events.occurred_at from events
    where events.log_id > last_of_partition - width and events.log_id <= last_of_partition order by events.log_id limit 1);
  -- Only if the next one is there: an id cannot be given back where this transaction fails.
  closing constant boolean := (oldest <= at - least(interval '1 day', keep / 30) or oldest > at + interval '1 day')
    and to_regclass('events_' || last_of_partition + 1) is not null;
  finished regclass[];
  partition regclass;
begin
  if closing is not true and not exists (select from finished_log_partitions) then
    return 0;
  end if;
  lock table events in access exclusive mode;
  if closing and (select last_value from events_log_id_seq) < last_of_partition then
    perform setval('events_log_id_seq', last_of_partition);
  end if;
  finished := array(select finished_log_partitions.partition from finished_log_partitions order by finished_log_partitions.first);
  foreach partition in array finished loop
    execute format('drop table %s', partition);
  end loop;
  perform make_feed_partitions();
  return cardinality(finished);
end
$$;
comment on function prune_log is 'Drops partitions of events that no cursor points to any more, and begins a new one; returns how many it dropped.';
revoke execute on function prune_log from public;
