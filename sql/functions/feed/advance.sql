-- The feed after a restore or a failover.

-- The cluster, its timeline and the database: a restore changes the first or the last, a promotion the second. The
-- path of a table names the database by its id, which a copy does not have.
create or replace function database_identity() returns text
  language plpgsql stable as $$
begin
  return concat_ws(' ', (pg_control_system()).system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8),
    split_part(pg_relation_filepath('pg_catalog.pg_class'), '/', -2));
end
$$;
comment on function database_identity is
  'Differs after a restore and after a promotion, either of which may have lost cursors that were given out.';

-- By the clock, in microseconds: beyond what any other restore of the same backup has given out, too. Cursors that a
-- client has keep their meaning: none of them is given out again.
create or replace function advance_feed(out head bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from feed_lock for update;
  -- A crash must not take back a head that a reader has.
  perform set_config('synchronous_commit', 'local', true) where current_setting('synchronous_commit') = 'off';
  update feed
  set head_floor = case when feed_state.head < clock.now then clock.now else feed_state.head + 1000000000 end,
    identity = database_identity()
  from feed_state, (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as now) as clock
  where feed_state.head < 9000000000000000
  returning feed.head_floor into advance_feed.head;
  if head is null then
    raise exception 'the feed has no room left to advance' using errcode = 'numeric_value_out_of_range';
  end if;
end
$$;
comment on function advance_feed is
  'Moves the head of the feed beyond every cursor that an older state of the database can have given out; returns '
  'it.';
revoke execute on function advance_feed from public;
