-- Counting events, most along the index of their types.
--
-- @needs feed/sequence

-- How many events of some types have a cursor in a range.
create or replace function count_events(event_types text[], after_cursor bigint, up_to bigint) returns bigint
  language sql stable
begin atomic
  select count(*)
  from event_cursors
  where event_cursors.event_type = any (event_types)
    and event_cursors.cursor > after_cursor and event_cursors.cursor <= up_to;
end;
comment on function count_events is 'How many events of these types have a cursor above the one and up to the other.';

-- A look for each type, along event_cursors_type_idx.
create or replace function has_events(event_types text[], after_cursor bigint, up_to bigint) returns boolean
  language sql stable
begin atomic
  select exists (
    select
    from unnest(event_types) as wanted (event_type)
    cross join lateral (
      select from event_cursors
      where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, after_cursor)
        and (event_cursors.event_type, event_cursors.cursor) <= (wanted.event_type, up_to)
        and event_cursors.cursor > after_cursor and event_cursors.cursor <= up_to
      limit 1
    ) as found);
end;
comment on function has_events is 'Whether an event of these types has a cursor above the one and up to the other.';

create or replace function count_events_at_most(event_types text[], after_cursor bigint, up_to bigint, count_max integer) returns integer
  language sql stable
begin atomic
  select count(*)::integer
  from (
    select
    from unnest(event_types) as wanted (event_type)
    cross join lateral (
      select
      from event_cursors
      where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, after_cursor)
        and (event_cursors.event_type, event_cursors.cursor) <= (wanted.event_type, up_to)
        and event_cursors.cursor > after_cursor
      order by event_cursors.event_type, event_cursors.cursor
      limit count_max
    ) as of_type
    limit count_max
  ) as counted;
end;
comment on function count_events_at_most is 'count_events, but no more than so many.';

-- From the lowest mark at which a look may begin: the floor, or where one goes on for a late transaction that has ended. Chunk
-- after chunk, because the first ones may have all their cursors: the floor is stored about once a second.
create or replace function count_unsequenced(count_max integer, out total integer, out since instant)
  language sql stable
begin atomic
  with recursive mark as (
    select feed_floor.log_id, feed_floor.cursor from feed_floor
    union all
    select (late.mark ->> 'log_id')::bigint, (late.mark ->> 'cursor')::bigint
    from feed_floor
    cross join lateral jsonb_array_elements(feed_floor.late) as late (mark)
    where (late.mark ->> 'xid')::bigint <> all (array(select xid::text::bigint from pg_snapshot_xip(pg_current_snapshot()) as xid))
    order by log_id
    limit 1
  ),
  chunks as (
    select mark.log_id as scanned_to, mark.cursor, null::bigint as first_log_id, 0 as total from mark
    union all
    select found.scanned_to, chunks.cursor, coalesce(chunks.first_log_id, found.log_ids[1]), chunks.total + cardinality(found.log_ids)
    from chunks
    cross join lateral unsequenced_events(chunks.scanned_to, chunks.cursor, 20000, greatest(count_max, 1)) as found
    where chunks.scanned_to is not null and chunks.total < greatest(count_max, 1)
  )
  select least(max(chunks.total), count_max),
    (select events.occurred_at from events where events.log_id = (select min(chunks.first_log_id) from chunks))
  from chunks;
end;
comment on function count_unsequenced is 'Events that wait for their cursor, no more than so many, and when the oldest of them occurred.';
