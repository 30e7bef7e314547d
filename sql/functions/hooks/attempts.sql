-- The partitions of attempts.
--
-- @needs tables/locks

-- Days are made without holding up what reads or records attempts. "create table … partition of" waits for every reader of
-- the table, and all that is recorded waits behind it: a dump that began before midnight stopped deliveries.

-- One day; false: readers did not let go, and the next run tries again. Until then its attempts go to hook_attempts_other,
-- and come over with the day. So do those that a clock which is ahead left there.
create or replace function make_attempt_partition(day date) returns boolean
  language plpgsql set timezone = 'UTC' set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  partition constant text := 'hook_attempts_' || to_char(day, 'YYYYMMDD');
  day_begins constant timestamptz := day;
  day_ends constant timestamptz := day + 1;
begin
  if to_regclass(partition) is not null then
    return true;
  end if;
  lock table only hook_attempts in share update exclusive mode;
  lock table hook_attempts_other in access exclusive mode;
  execute format('create table %I (like hook_attempts including defaults including constraints including comments, check (started_at >= %L and started_at < %L))',
    partition, day_begins, day_ends);
  execute format('with early as (delete from hook_attempts_other where started_at >= $1 and started_at < $2 returning *) insert into %I select * from early', partition)
    using day_begins, day_ends;
  execute format('alter table hook_attempts attach partition %I for values from (%L) to (%L)', partition, day_begins, day_ends);
  execute format('alter table %I drop constraint %I', partition, partition || '_started_at_check');
  return true;
exception when lock_not_available then
  return false;
end
$$;
comment on function make_attempt_partition is 'Called by make_attempt_partitions: makes one day; false: not now.';

-- Yesterday's too: around midnight attempts end that began before. And some days ahead, for a dump that takes long.
create or replace function make_attempt_partitions(at timestamptz) returns void
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
declare
  day date;
begin
  perform take_lock('make_attempt_partitions');
  for day in select (at - interval '1 day')::date + n from generate_series(0, 4) as n loop
    exit when not make_attempt_partition(day);
  end loop;
end
$$;
comment on function make_attempt_partitions is 'Makes the partitions of hook_attempts around a moment, ahead of time.';
revoke execute on function make_attempt_partitions from public;

-- An erasure finds attempts by the cursors of a person's events, so what receivers said of events that have expired is forgotten:
-- it may name the person. Most of it goes with its day; what is left is of events that were sent late, or once more.
create or replace function forget_expired_answers(since timestamptz, row_limit integer) returns void
  language plpgsql set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  expired record;
begin
  for expired in
    select answered.no, answered.cursor, answered.started_at
    from hook_positions
    cross join lateral (
      select hook_attempts.no, hook_attempts.cursor, hook_attempts.started_at
      from hook_attempts
      where hook_attempts.no = hook_positions.no and hook_attempts.cursor between 1 and (select feed.horizon from feed)
        and hook_attempts.started_at >= since and (hook_attempts.excerpt is not null or hook_attempts.headers is not null)
      offset 0
    ) as answered
    limit row_limit
  loop
    update hook_attempts set excerpt = null, headers = null
      where hook_attempts.no = expired.no and hook_attempts.cursor = expired.cursor and hook_attempts.started_at = expired.started_at;
  end loop;
end
$$;
comment on function forget_expired_answers is 'Called by prune_attempts: of attempts since a moment to deliver events that have expired, answers go.';

-- A day at a time, the oldest first: a clock that jumps forward costs a day a run.
create or replace function prune_attempts(keep interval, at timestamptz) returns integer
  language plpgsql security definer set timezone = 'UTC'
  set search_path = public, pg_temp set standard_conforming_strings = on set lock_timeout = '200ms' as $$
declare
  oldest text := (
    select child.relname from pg_inherits join pg_class as child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = 'hook_attempts'::regclass and child.relname ~ '^hook_attempts_\d{8}$'
    order by child.relname limit 1);
begin
  delete from hook_attempts_other where started_at <= at - keep;
  delete from hook_test_events where created_at <= at - keep;
  delete from hook_skips where reason = 'expired' and created_at <= at - keep;
  -- Those of events go with their events: as long as one is there, it can be sent again.
  delete from hook_failures where failed_at <= at - keep and cursor < 0;
  delete from hook_redeliveries where created_at <= at - interval '1 day';
  delete from erased_events where erased_at <= at - interval '1 hour';
  delete from hook_workers where lease_until <= at - interval '1 day';
  -- Of a clock that was ahead and went back: the longest delay is a day and a fifth.
  update hook_retries set due_at = at
    where hook_retries.ctid = any (array(select hook_retries.ctid from hook_retries where hook_retries.due_at > at + interval '2 days' for update skip locked));
  with gone as (
    delete from hook_positions where deleted_at <= at - keep - interval '1 day' returning no
  ),
  taken as (
    delete from hook_retries using gone where hook_retries.no = gone.no
  )
  delete from hook_skips using gone where hook_skips.no = gone.no;
  -- The oldest day is the next to go. So many that the run is short.
  perform forget_expired_answers(coalesce(to_date(right(oldest, 8), 'YYYYMMDD') + 1, '-infinity'), 10000);
  if oldest is null or to_date(right(oldest, 8), 'YYYYMMDD') + 1 > at - keep then
    return 0;
  end if;
  execute format('drop table %I', oldest);
  return 1;
end
$$;
comment on function prune_attempts is 'Drops the oldest day of attempts when it has expired, and what else is older than the retention time; 1: there may be more.';
revoke execute on function prune_attempts from public;

-- The first ones; later the worker makes them.
select make_attempt_partitions(now());
