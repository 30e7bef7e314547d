-- The partitions of the log and of its cursors.
--
-- @needs tables/locks

-- Cursors and log ids per partition. A day of a busy workspace fits into one, and a read of a rare type opens few of them.
create or replace function events_partition_width() returns bigint
  language sql immutable parallel safe
  return 10000000;
comment on function events_partition_width is 'How many cursors a partition of event_cursors holds, and how many events one of events.';

-- The partition of events or event_cursors that holds a number, made if it is not there. Attached, not created as a
-- partition: that way readers and the sequencer go on meanwhile.
create or replace function make_feed_partition(parent text, wanted bigint) returns text
  language plpgsql set search_path = public, pg_temp as $$
declare
  key constant text := case parent when 'events' then 'log_id' when 'event_cursors' then 'cursor' end;
  lower_bound constant bigint := (wanted - 1) / events_partition_width() * events_partition_width() + 1;
  upper_bound constant bigint := lower_bound + events_partition_width();
  partition constant text := parent || '_' || lower_bound;
begin
  perform take_lock('make_feed_partition');
  if to_regclass(partition) is null then
    execute format('create table %I (like %I including defaults including constraints including comments, check (%I >= %s and %I < %s))',
      partition, parent, key, lower_bound, key, upper_bound);
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, partition, lower_bound, upper_bound);
    execute format('alter table %I drop constraint %I', partition, partition || '_' || key || '_check');
    if parent = 'event_cursors' then
      -- No event gets a second cursor. Not on the parent, where the cursor would have to be part of it.
      execute format('create unique index %I on %I (log_id)', partition || '_log_id_idx', partition);
    end if;
  end if;
  return partition;
end
$$;
comment on function make_feed_partition is 'Makes the partition of events or event_cursors that holds a number, unless it exists; returns its name.';

-- The partitions of the next numbers, two of each.
create or replace function make_feed_partitions() returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  head bigint := (select feed_state.head from feed_state);
  drawn bigint := (select last_value from events_log_id_seq);
begin
  perform make_feed_partition('event_cursors', head + 1), make_feed_partition('event_cursors', head + 1 + events_partition_width());
  perform make_feed_partition('events', drawn + 1), make_feed_partition('events', drawn + 1 + events_partition_width());
end
$$;
comment on function make_feed_partitions is 'Makes the partitions that the next events and cursors need, ahead of time.';
revoke execute on function make_feed_partitions from public;

-- The first ones; later the worker makes them.
select make_feed_partitions();
