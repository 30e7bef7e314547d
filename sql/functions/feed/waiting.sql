-- What waits for a cursor.
--
-- @needs feed/sequence_events

create or replace function count_unsequenced(count_max integer, out total integer, out since instant)
  language sql stable
begin atomic
  select least(count(*), count_max)::integer,
    (select events.occurred_at from events where events.log_id = min(waiting.log_id))
  from feed
  cross join lateral unsequenced_events(feed.log_floor, feed.late, greatest(count_max, 1)) as waiting (log_id);
end;
comment on function count_unsequenced is
  'Events that wait for their cursor, no more than so many, and when the oldest of them occurred.';
