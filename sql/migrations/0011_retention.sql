-- Retention of the feed: whole partitions go, together with the horizon, in one transaction.

-- The partitions of events with the cursors they hold, first to last inclusive.
create view events_partitions as
select
  child.oid::regclass as partition,
  (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'FROM \(''(\d+)''\)'))[1]::bigint as first_cursor,
  (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'TO \(''(\d+)''\)'))[1]::bigint - 1 as last_cursor
from pg_inherits
join pg_class as child on child.oid = pg_inherits.inhrelid
where pg_inherits.inhparent = 'events'::regclass;
comment on view events_partitions is 'The partitions of events with the first and last cursor each can hold.';

-- Closes the current partition when its oldest event is older than a day, or than a thirtieth of the
-- retention time if that is less: the next event gets the first cursor of the next partition. Without this
-- a quiet feed would keep everything in one partition that never becomes old enough as a whole.
-- Then drops every partition whose events have all expired and moves the horizon past them.
-- Age counts from sequenced_at: a long transaction's events are not born expired.
-- Dropping waits for readers in flight, and later readers wait behind it: for lock_timeout at most, then it
-- fails with 55P03 and is to be tried again.
create function prune_events(keep interval, at timestamptz, out horizon bigint, out partitions_dropped integer)
  language plpgsql set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  current_head bigint;
  candidate record;
  newest_cursor bigint;
  newest timestamptz;
  oldest timestamptz;
  expired boolean := true;
begin
  select feed.head, feed.horizon into current_head, horizon from feed for update;
  partitions_dropped := 0;
  for candidate in select * from events_partitions where first_cursor <= current_head order by first_cursor loop
    select events.sequenced_at into oldest from events
      where events.cursor between candidate.first_cursor and candidate.last_cursor order by events.cursor limit 1;
    select events.cursor, events.sequenced_at into newest_cursor, newest from events
      where events.cursor between candidate.first_cursor and candidate.last_cursor order by events.cursor desc limit 1;
    if current_head < candidate.last_cursor and oldest <= at - least(interval '1 day', keep / 30) then
      perform make_events_partition(candidate.last_cursor + 1);
      current_head := candidate.last_cursor;
    end if;
    -- Partitions go from the oldest on; the current one is looked at too, for it may have to be closed.
    expired := expired and current_head >= candidate.last_cursor and (newest is null or newest <= at - keep);
    -- What still waits to be delivered holds its event back, for a day at most: then a receiver is given up.
    expired := expired and not exists (
      select from hook_deliveries
      where hook_deliveries.state = 'pending' and hook_deliveries.cursor between candidate.first_cursor and candidate.last_cursor
        and hook_deliveries.created_at > at - keep - interval '1 day');
    continue when not expired;
    execute format('drop table %s', candidate.partition);
    -- The last event's cursor, not the partition's: whoever has read all of it is not behind.
    horizon := coalesce(newest_cursor, horizon);
    partitions_dropped := partitions_dropped + 1;
  end loop;
  update feed set head = current_head, horizon = prune_events.horizon
    where feed.head <> current_head or feed.horizon <> prune_events.horizon;
  perform make_events_partition(current_head + 1);
  perform make_events_partition(current_head + 1 + events_partition_width());
end
$$;
comment on function prune_events is 'Drops what the feed need not keep any more, and makes the next partitions ahead.';
