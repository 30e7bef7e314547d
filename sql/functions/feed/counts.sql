-- Counting events, a look for each type along event_cursors_type_idx.

-- Pages ask for each webhook: one plan for all values is a sixth of their time. It may be made while tables are empty.
create or replace function count_events_at_most(
    event_types text[], after_cursor bigint, up_to bigint, count_max integer) returns integer
  language sql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off
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
comment on function count_events_at_most is 'How many events of these types have a cursor in a range, up to count_max.';
