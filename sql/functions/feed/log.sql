-- What happens when an event is appended to the log.

-- Before the first id is drawn: by it the sequencer knows which transactions can still add an event with a lower id.
create or replace function draw_transaction_id() returns trigger
  language plpgsql as $$
begin
  perform pg_current_xact_id();
  return null;
end
$$;

-- Notifies the sequencer if it asked for that. Under load it polls instead: NOTIFY takes a cluster-wide lock until
-- commit.
create or replace function wake_sequencer() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  if (select feed_sleep.last_value = 1 from feed_sleep) then
    perform pg_notify('event_emitted', '');
  end if;
  return null;
end
$$;
