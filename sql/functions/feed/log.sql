-- What happens when an event is appended to the log.

-- Before the first id is drawn: the sequencer tells by it which transactions can still add an event with a lower id.
create or replace function draw_transaction_id() returns trigger
  language plpgsql as $$
begin
  perform pg_current_xact_id();
  return null;
end
$$;

-- Wakes the sequencer where it asks for that. Under load it looks by itself: NOTIFY takes a lock of the whole cluster until
-- the commit is done, which would halve the writers' rate.
create or replace function wake_sequencer() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  if (select feed_wake.last_value = 1 from feed_wake) then
    perform pg_notify('event_emitted', '');
  end if;
  return null;
end
$$;
