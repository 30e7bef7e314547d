-- Retention of the feed.
--
-- @needs hooks/changes

-- One batch: the oldest cursors that have expired go with their events, and the horizon moves to the last of them.
-- Age counts from sequenced_at, so a long transaction's events are not already expired. A moment after `at` is of a
-- clock that was ahead and is not used: such a cursor goes with the expired ones behind it.
create or replace function prune_events(
    keep interval, at timestamptz, until timestamptz, row_limit integer,
    out horizon bigint, out deleted integer, out expired_before timestamptz)
  language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  log_ids bigint[];
begin
  select feed.horizon into horizon from feed for update;
  expired_before := coalesce(until, least(at - keep, (
    select event_cursors.sequenced_at + interval '1 day' from event_cursors
    where event_cursors.cursor > prune_events.horizon
    order by event_cursors.cursor
    limit 1)));
  with oldest as (
    select event_cursors.cursor, event_cursors.sequenced_at from event_cursors
    where event_cursors.cursor > prune_events.horizon
    order by event_cursors.cursor
    limit row_limit
  ),
  kept as (
    select min(oldest.cursor) as first from oldest
    where oldest.sequenced_at >= expired_before and oldest.sequenced_at <= at
  )
  select coalesce(max(oldest.cursor), prune_events.horizon) into horizon
  from oldest, kept
  where oldest.sequenced_at < expired_before and (kept.first is null or oldest.cursor < kept.first);
  deleted := 0;
  if horizon = (select feed.horizon from feed) then
    return;
  end if;
  -- While the events are still there: their types show what a subscription misses.
  perform expire_deliveries(horizon);
  with gone as (
    delete from event_cursors
    where event_cursors.cursor > (select feed.horizon from feed) and event_cursors.cursor <= prune_events.horizon
    returning event_cursors.log_id
  )
  select array_agg(gone.log_id), count(*) into log_ids, deleted from gone;
  delete from events where events.log_id = any (log_ids);
  update feed set horizon = prune_events.horizon;
end
$$;
comment on function prune_events is
  'Deletes a batch of expired events, at most those of a day after the oldest. expired_before: until of the next '
  'batch of the run.';
revoke execute on function prune_events from public;
