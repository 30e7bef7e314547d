-- What expires with the events of the feed.

create or replace function expire_deliveries(horizon bigint) returns void
  language plpgsql set search_path = public, pg_temp as $$
begin
end
$$;
comment on function expire_deliveries is 'Called by prune_events, in its transaction, before the events up to the new horizon are deleted.';
