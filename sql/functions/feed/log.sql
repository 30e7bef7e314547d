-- What happens when events are appended to the log.

-- The transaction id is drawn before the first log id: by it the sequencer knows which transactions can still add an
-- event with a lower one. And the sequencer is notified if it asked for that; under load it polls instead, because
-- NOTIFY takes a cluster-wide lock until commit.
create or replace function begin_events() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_current_xact_id();
  if (select feed_sleep.last_value = 1 from feed_sleep) then
    perform pg_notify('event_emitted', '');
  end if;
  return null;
end
$$;
