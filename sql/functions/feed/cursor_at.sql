-- The feed by time. No index has the moment of a cursor; cursors are given out in the order of time.

-- Halves what is left with each look: some forty along the primary key, whatever the feed holds.
create or replace function cursor_at(moment timestamptz) returns bigint
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  lower_bound bigint;
  upper_bound bigint;
  middle bigint;
  found record;
begin
  select feed_state.horizon, feed_state.head into lower_bound, upper_bound from feed_state;
  while lower_bound < upper_bound loop
    middle := (lower_bound + upper_bound) / 2;
    select event_cursors.cursor, event_cursors.sequenced_at into found
    from event_cursors
    where event_cursors.cursor > middle
    order by event_cursors.cursor
    limit 1;
    if found.cursor is null or found.sequenced_at >= moment then
      upper_bound := middle;
    else
      lower_bound := found.cursor;
    end if;
  end loop;
  return lower_bound;
end
$$;
comment on function cursor_at is 'The last cursor given out before a moment; the horizon where there is none.';
