-- The owner's search for events.

-- By names first: objects, leads, keys. Only where those find nothing, by addresses and numbers in payloads. An id of
-- an event is in no index, so it is looked for in the newest part of the log alone.
create or replace function find_events(searched text, log_max bigint) returns bigint[]
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off set max_parallel_workers_per_gather = 0 as $$
declare
  is_id constant boolean := searched ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
  names constant text[] := array[lower(searched)];
  ids constant text[] := case when is_id then names else '{}' end;
  person record;
  leads text[];
  hints text[];
  log_ids bigint[];
begin
  select known.keys, known.lead_ids into person from kontakt_person(searched) as known;
  leads := ids || person.lead_ids::text[];
  log_ids := array(
    select events.log_id
    from events
    where names_person(events.object_id, events.links, events.data, names, leads, ids, person.keys));
  -- A key of a lead stands in no payload.
  if log_ids = '{}' and exists (select from unnest(person.keys) as key where key not like 'lead:%') then
    hints := kontakt_key_hints(person.keys);
    log_ids := array(select events.log_id from events where carries_key(events.data, person.keys, hints));
  end if;
  if log_ids = '{}' and is_id then
    log_ids := array(
      select newest.log_id
      from (select events.log_id, events.id from events order by events.log_id desc limit log_max) as newest
      where newest.id = searched::uuid);
  end if;
  return cursors_of(log_ids);
end
$$;
comment on function find_events is
  'Cursors of the events about a text: an object, a lead, a conversation, or a person by key, address or '
  'number; else of those whose payload has the address or number; else of the event of this id, among the '
  'newest log_max.';
revoke execute on function find_events from public;
