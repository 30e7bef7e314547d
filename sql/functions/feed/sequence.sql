-- The sequencer: gives cursors to the events that became visible.

-- As one set: ids above the floor less those that have a cursor. For each of the two reads there is one index that serves,
-- in its order; and with an upper bound it is cheap also where there are no statistics yet. The bound of cursors spares the
-- partitions below it. A chunk ends where sequenced_limit events with a cursor end: gaps and what waits cost nothing.
create or replace function unsequenced_events(after_log_id bigint, after_cursor bigint, sequenced_limit integer, row_limit integer)
  returns table (log_ids bigint[], scanned_to bigint)
  language sql stable
begin atomic
  with sequenced as materialized (
    select event_cursors.log_id
    from event_cursors
    where event_cursors.log_id > after_log_id and event_cursors.log_id <= 9223372036854775807 and event_cursors.cursor > after_cursor
    order by event_cursors.log_id
    limit sequenced_limit
  ),
  chunk as materialized (
    select count(*) as events, case when count(*) = sequenced_limit then max(sequenced.log_id) end as up_to from sequenced
  ),
  logged as (
    select events.log_id
    from events
    where events.log_id > after_log_id and events.log_id <= coalesce((select chunk.up_to from chunk), 9223372036854775807)
    order by events.log_id
    limit row_limit + (select chunk.events from chunk)
  ),
  waiting as (
    select logged.log_id from logged
    except
    select sequenced.log_id from sequenced
    order by log_id
    limit row_limit
  )
  select coalesce(array_agg(waiting.log_id order by waiting.log_id), '{}'),
    case when count(*) = row_limit then max(waiting.log_id) else (select chunk.up_to from chunk) end
  from waiting;
end;
comment on function unsequenced_events is 'Ids of visible events without a cursor, oldest first, and up to where it looked; null: to the end. The caller vouches that none is at or below after_log_id, and that cursors of events above it are above after_cursor.';

-- All of one snapshot. Nothing below the bounds is read, so that the partitions there cost nothing.
create or replace function look_at_log(after_log_id bigint, after_cursor bigint, sequenced_limit integer, row_limit integer) returns setof log_look
  language sql stable
begin atomic
  select
    greatest(feed.head_floor, after_cursor, (
      select event_cursors.cursor from event_cursors where event_cursors.cursor > after_cursor order by event_cursors.cursor desc limit 1)),
    unsequenced.log_ids,
    greatest(after_log_id, (
      select events.log_id from events where events.log_id > after_log_id order by events.log_id desc limit 1)),
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
    array(select xid::text::bigint from pg_snapshot_xip(pg_current_snapshot()) as xid),
    unsequenced.scanned_to
  from feed
  cross join lateral unsequenced_events(after_log_id, after_cursor, sequenced_limit, row_limit) as unsequenced;
end;
comment on function look_at_log is 'Called by sequence_events: what waits for a cursor in the next chunk of the log, and what the sequencer has to know to say how far the log is settled.';

create or replace function sequencer_state(
    identity text, floor feed_floor, start feed_floor, look log_look, head bigint, xid xid8)
  returns text
  language sql stable
  return json_build_object(
    'identity', identity, 'floor_log_id', floor.log_id, 'floor_cursor', floor.cursor, 'late', floor.late,
    'after_log_id', start.log_id, 'after_cursor', start.cursor, 'head_before', look.head, 'head', head,
    'sequenced', cardinality(look.log_ids), 'scanned_to', look.scanned_to, 'newest_log_id', look.newest_log_id,
    'xid', xid::text::bigint, 'xmax', look.xmax, 'running', look.running)::text;
comment on function sequencer_state is 'Called by sequence_events: the row that tells how far it looked.';

-- Where the log is to be looked through from for late transactions that have ended; null: for none.
create or replace function ended_late(late jsonb, look log_look) returns feed_floor
  language sql stable
begin atomic
  select true, (one ->> 'log_id')::bigint, (one ->> 'cursor')::bigint, late
  from jsonb_array_elements(late) as one
  -- One beyond xmax is of the cluster that a dump was made in.
  where (one ->> 'xid')::bigint <> all (look.running)
  order by (one ->> 'log_id')::bigint
  limit 1;
end;
comment on function ended_late is 'Called by sequence_events: the lowest mark of the late transactions that were not running any more.';

-- Gives the next cursors to visible events, in the order of their ids: an event comes after those that its writer can have
-- seen, also of a late transaction. What was seen before the lock holds if no cursor was given out since; otherwise it looks
-- again. So cursors become visible in order, and no event gets two.
-- Answers with a row that has the state, and a row for each event of a wanted type. A body is missing beyond 4 MB of
-- them in all; the caller reads those events from the feed.
-- A look that finds nothing locks nothing and writes nothing.
-- Waits for the disk whatever the session is set to: a crash must not take back a cursor that a reader has.
-- Planned once per session, perhaps while the newest partition is empty: for each look one index is left that serves.
create or replace function sequence_events(
    row_limit integer, sequenced_limit integer, known_identity text, after_log_id bigint, after_cursor bigint, late jsonb,
    settling boolean, wanted_types text[], sequenced_by text)
  returns table (cursor bigint, event_type text, event_id uuid, occurred_ms bigint, body text, state text)
  language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  current constant text := database_identity();
  floor feed_floor := row(true, after_log_id, after_cursor, late);
  start feed_floor;
  look log_look;
  ended feed_floor;
  is_locked boolean := false;
  is_stored boolean := known_identity is distinct from current;
  earlier_xid xid8;
  own_xid xid8;
begin
  if is_stored then
    perform take_feed(current);
    select feed_floor.* into floor from feed_floor;
  end if;
  start := floor;
  loop
    earlier_xid := pg_current_xact_id_if_assigned();
    select looked.* into look from look_at_log(start.log_id, start.cursor, sequenced_limit, row_limit) as looked;
    ended := case when floor.late <> '[]' then ended_late(floor.late, look) end;
    if ended.log_id < start.log_id then
      start := ended;
      continue;
    end if;
    -- Cursors expired while the process stood still, and their events would get new ones. What is stored is above them.
    if not is_stored and start.cursor < (select feed.horizon from feed) then
      is_stored := true;
      select feed_floor.* into start from feed_floor;
      floor := start;
      continue;
    end if;
    exit when is_locked or look.log_ids = '{}';
    perform from feed for update;
    is_locked := true;
    exit when (select feed.head_floor from feed) <= look.head and not exists (select from event_cursors where event_cursors.cursor > look.head);
  end loop;
  -- Drawn after the look, it is above that of every transaction that drew an id seen there.
  own_xid := case when earlier_xid is null and (settling or look.log_ids <> '{}') then pg_current_xact_id() end;
  if look.log_ids = '{}' then
    state := sequencer_state(current, floor, start, look, look.head, own_xid);
    return next;
    return;
  end if;
  perform set_config('synchronous_commit', 'local', true) where current_setting('synchronous_commit') = 'off';
  return query
  with logged as materialized (
    select look.head + row_number() over (order by events.log_id) as cursor, events.*
    from events
    where events.log_id > start.log_id and events.log_id <= look.log_ids[cardinality(look.log_ids)] and events.log_id = any (array(select unnest(look.log_ids)))
  ),
  stored as (
    insert into event_cursors (cursor, log_id, event_type)
    select logged.cursor, logged.log_id, logged.event_type from logged
    returning event_cursors.cursor
  ),
  batch as (select coalesce(max(stored.cursor), look.head) as head from stored)
  select null::bigint, null::text, null::uuid, null::bigint, null::text,
    sequencer_state(current, floor, start, look, batch.head, own_xid)
  from batch
  left join lateral (select pg_notify('event_sequenced', sequenced_by) from feed_watch
    where batch.head > look.head and feed_watch.last_value >= extract(epoch from now())) as notified on true
  union all
  select wanted.cursor, wanted.event_type, wanted.id, (extract(epoch from wanted.occurred_at) * 1000)::bigint,
    case when wanted.bytes <= 4000000 then row_to_json(envelope)::text end, null
  from (
    select logged.*, sum(pg_column_size(logged.data)) over (order by logged.log_id) as bytes
    from logged where logged.event_type = any (wanted_types)
  ) as wanted
  cross join lateral (select wanted.id, wanted.event_type, wanted.schema_version, wanted.occurred_at, wanted.object_type,
    wanted.object_id, wanted.links, wanted.data) as envelope;
end
$$;
-- A worker has no right on cursors and on the head: it cannot skip, repeat or take back one.
revoke execute on function sequence_events from public;
comment on function sequence_events is 'Gives the next cursors to events without one. The statement events/sequence_events calls it.';
