-- The sequencer: gives cursors to the events that became visible. src/feed/log_floor.ts has where it looks from.
--
-- @needs events/body, feed/advance

-- The cursor is a scalar subquery: as an anti-join the generic plan would read all cursors there are.
create or replace function unsequenced_events(log_floor bigint, late jsonb, row_limit integer) returns setof bigint
  language sql stable
begin atomic
  select waiting.log_id
  from (
    (select events.log_id
    from events
    where events.log_id > log_floor
      and (select event_cursors.log_id from event_cursors where event_cursors.log_id = events.log_id) is null
    order by events.log_id
    limit row_limit)
    union
    select added.log_id
    from jsonb_to_recordset(late) as long (xid bigint, log_id bigint)
    cross join lateral (
      select events.log_id
      from events
      where events.xid = long.xid and events.xid > 0 and events.log_id > long.log_id
        and (select event_cursors.log_id from event_cursors where event_cursors.log_id = events.log_id) is null
      order by events.xid, events.log_id
      limit row_limit
    ) as added
  ) as waiting
  order by waiting.log_id
  limit row_limit;
end;
comment on function unsequenced_events is
  'Ids of visible events without a cursor, oldest first: those above the floor, and those of late transactions.';

-- A look for each event, also where the statistics are from an empty log.
create or replace function sequenced_bodies(after_cursor bigint, wanted_types text[])
  returns table (cursor bigint, event_type text, event_id uuid, occurred_ms bigint, body text, state text)
  language sql stable
begin atomic
  with given as materialized (
    select event_cursors.cursor, event_cursors.log_id
    from event_cursors
    where event_cursors.cursor > after_cursor and event_cursors.event_type = any (wanted_types)
  ),
  wanted as (
    select given.cursor, found.event, sum((found.event).bytes) over (order by given.cursor) as total
    from given
    cross join lateral (select events as event from events where events.log_id = given.log_id limit 1) as found
  )
  select wanted.cursor, (wanted.event).event_type, (wanted.event).id,
    (extract(epoch from (wanted.event).occurred_at) * 1000)::bigint,
    case when wanted.total <= 4000000 then event_body(wanted.event) end, null::text as state
  from wanted;
end;
comment on function sequenced_bodies is
  'Called by sequence_events: the events of a batch. Beyond 4 MB of them in all a body is null.';

-- First the lock, then the look: its snapshot is younger than the lock, so cursors become visible in order. An event
-- comes after those that its writer can have seen, because cursors follow the order of ids. The transaction id is
-- drawn before the look: it is above that of each transaction that drew an id which the look before saw. Waits for the
-- disk where it gave out a cursor, whatever the session is set to: a crash must not take one back.
create or replace function sequence_events(
    row_limit integer, known_identity text, log_floor bigint, late jsonb, sleeping boolean, wanted_types text[])
  returns table (cursor bigint, event_type text, event_id uuid, occurred_ms bigint, body text, state text)
  language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_variable
declare
  current constant text := database_identity();
  commits constant text := current_setting('synchronous_commit');
  own_xid bigint;
  advanced boolean;
  sleeps boolean;
  seen record;
  sequenced integer := 0;
begin
  perform from feed_lock for update;
  own_xid := pg_current_xact_id()::text::bigint;
  -- In a database that was restored, or that lost commits in a failover, the feed goes on beyond all cursors that may
  -- be known.
  select feed.identity <> current into advanced from feed;
  if advanced then
    perform advance_feed();
  elsif advanced is null then
    update feed set identity = current;
    advanced := false;
  end if;
  -- Not where two-phase commit is enabled: a transaction that notified cannot be prepared.
  sleeps := sleeping and current_setting('max_prepared_transactions') = '0';
  perform setval('feed_sleep', sleeps::integer) where (select feed_sleep.last_value = 1 from feed_sleep) <> sleeps;
  if known_identity is distinct from current then
    select feed.log_floor, feed.late into log_floor, late from feed;
  end if;
  select feed_state.head,
    array(select found.log_id from unsequenced_events(log_floor, late, row_limit) as found (log_id)) as log_ids,
    (select events.log_id from events where events.log_id > sequence_events.log_floor
      order by events.log_id desc limit 1) as newest,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xmax,
    array(select running::text::bigint from pg_snapshot_xip(pg_current_snapshot()) as running) as running
  into strict seen from feed_state;
  if seen.log_ids <> '{}' then
    insert into event_cursors (cursor, log_id, event_type)
    select seen.head + row_number() over (order by events.log_id), events.log_id, events.event_type
    from events
    where events.log_id = any (seen.log_ids);
    get diagnostics sequenced = row_count;
    perform pg_notify('event_sequenced', '');
  end if;
  perform set_config('synchronous_commit', case
    when sequenced = 0 and not advanced then 'off' when commits = 'off' then 'local' else commits end, true);
  state := json_build_object(
    'identity', current, 'advanced', advanced, 'sleeps', sleeps, 'floor', log_floor, 'late', late,
    'head_before', seen.head, 'head', seen.head + sequenced, 'sequenced', sequenced,
    'scanned_to', case when cardinality(seen.log_ids) = row_limit then seen.log_ids[row_limit] end,
    'newest', coalesce(seen.newest, log_floor), 'xid', own_xid, 'xmax', seen.xmax, 'running', seen.running);
  return next;
  if sequenced > 0 then
    return query select bodies.* from sequenced_bodies(seen.head, wanted_types) as bodies;
  end if;
end
$$;
-- A worker has no right on cursors and on the head: it cannot skip, repeat or take back one.
revoke execute on function sequence_events from public;
comment on function sequence_events is
  'Gives the next cursors to events without one. The statement events/sequence_events calls it.';
