-- Puts right what was changed by hand or restored in part. The feed is written by its own functions alone.
--
-- @needs feed/advance, feed/partitions

-- The greatest number that has been given to an event: none of them may come again. Where all have expired, the floor holds it.
create or replace function newest_log_id() returns bigint
  language sql stable set search_path = public, pg_temp
  return coalesce(
    greatest(
      (select events.log_id from events order by events.log_id desc limit 1),
      (select event_cursors.log_id from event_cursors order by event_cursors.log_id desc limit 1)),
    (select feed_floor.log_id from feed_floor),
    0);
comment on function newest_log_id is 'Called by repair_feed and get_feed_fault: the id of the newest event that is or was in the log.';

-- No cursor expires above the mark of a late transaction, so that all expired events are below all that wait. Two things tell:
-- an event has expired that is older than the first cursor there is, by its id or by the clock. The id alone does not where the
-- first cursors are of a late transaction. Where there is no cursor, the floor tells, unless it is beyond the log or the head.
create or replace function oldest_log_id() returns bigint
  language sql stable set search_path = public, pg_temp
  return (
    select max(events.log_id) + 1
    from feed_state
    cross join feed_floor
    left join lateral (
      select event_cursors.sequenced_at from event_cursors order by event_cursors.cursor limit 1) as first on true
    join events on not exists (select from event_cursors where event_cursors.log_id = events.log_id)
    where feed_state.horizon > 0
      and events.log_id <= coalesce((select min((mark ->> 'log_id')::bigint) from jsonb_array_elements(feed_floor.late) as mark), events.log_id)
      and case when first.sequenced_at is not null
        then events.log_id < (select min(event_cursors.log_id) from event_cursors) or events.occurred_at < first.sequenced_at
        else events.log_id <= feed_floor.log_id and feed_floor.log_id <= newest_log_id() and feed_floor.cursor <= feed_state.head
      end);
comment on function oldest_log_id is 'Called by repair_feed: the id from which on an event without a cursor waits for one, while those below have expired; null: none of those in the log has expired.';

-- Reads the whole log and its cursors. Writers wait meanwhile: none of them is between drawing an id and inserting it.
create or replace function repair_feed(out mended text[], out head bigint)
  language plpgsql set search_path = public, pg_temp as $$
declare
  newest bigint;
  oldest bigint;
  settled record;
  is_floor_lost boolean;
begin
  lock table events in share mode;
  mended := '{}';
  insert into feed (horizon)
    select coalesce(min(feed_partitions.first) - 1, 0) from feed_partitions where feed_partitions.parent = 'event_cursors'
    on conflict do nothing;
  if found then
    -- A reader may have a head that is in no table any more.
    perform advance_feed();
    mended := mended || 'the row of feed was missing'::text;
  end if;
  perform from feed for update;
  insert into feed_floor default values on conflict do nothing;
  is_floor_lost := found;
  if is_floor_lost then
    mended := mended || 'the row of feed_floor was missing'::text;
  end if;
  newest := newest_log_id();
  if (select last_value from events_log_id_seq) < newest then
    perform setval('events_log_id_seq', newest);
    mended := mended || 'ids of events would have come again'::text;
  end if;
  oldest := coalesce(oldest_log_id(), 0);
  select coalesce(min(events.log_id) - 1, newest) as log_id into settled
    from events
    where events.log_id >= oldest and not exists (select from event_cursors where event_cursors.log_id = events.log_id);
  head := (select feed_state.head from feed_state);
  if (select max(hook_positions.cursor) from hook_positions) > head then
    head := advance_feed();
    mended := mended || 'cursors that a subscription has passed would have come again'::text;
  end if;
  update feed_floor
    set log_id = place.log_id, late = '[]',
      cursor = coalesce((select min(event_cursors.cursor) - 1 from event_cursors where event_cursors.log_id > place.log_id), repair_feed.head)
    from (select least(settled.log_id, greatest(before.log_id, oldest - 1)) as log_id from feed_floor as before) as place
    where is_floor_lost or feed_floor.log_id > settled.log_id or feed_floor.cursor > repair_feed.head
      -- Of such an event the sequencer does not see that it has a cursor, and would give it a second one.
      or exists (select from event_cursors where event_cursors.log_id > feed_floor.log_id and event_cursors.cursor <= feed_floor.cursor);
  if found and not is_floor_lost then
    mended := mended || 'the sequencer would have looked in the wrong place'::text;
  end if;
  perform make_feed_partitions();
end
$$;
comment on function repair_feed is 'Puts the state of the feed right by what its tables hold; says what was wrong. Cursors that were given out stay as they are.';
