-- What events and cursors a person has.
--
-- @needs identity/hints, identity/kontakt_key

-- The planner inlines these as long as no argument is a function call.
create or replace function carries_key(data jsonb, keys text[], hints text[]) returns boolean
  language sql immutable parallel safe
  return (kontakt_key_hint(data ->> 'email') = any (hints) and kontakt_key(data ->> 'email') = any (keys))
    or (kontakt_key_hint(data ->> 'phone') = any (hints) and kontakt_key(data ->> 'phone') = any (keys));
comment on function carries_key is 'Whether the payload of an event has the address or the number of one of the keys; hints are those of the keys.';

create or replace function names_person(object_id text, links jsonb, data jsonb, names text[], lead_ids text[], sessions text[], keys text[]) returns boolean
  language sql immutable parallel safe
  return lower(object_id) = any (names)
    or lower(coalesce(links ->> 'lead_id', data ->> 'lead_id')) = any (lead_ids)
    or (links ->> 'session_id' = any (sessions) and lower(coalesce(links ->> 'lead_id', data ->> 'lead_id')) is null)
    or lower(coalesce(data ->> 'kontakt_key', data ->> 'canonical_key')) = any (keys);
comment on function names_person is 'Whether an event names one of these rows, leads or keys, or no lead and one of these conversations.';

-- Beyond some hundred names reading whole tables is cheaper. The caller sets both settings itself, so that they are as they were when it ends.
create or replace function read_whole_tables(wanted boolean) returns void
  language plpgsql as $$
begin
  perform set_config('enable_seqscan', wanted::text, true), set_config('enable_bitmapscan', (not wanted)::text, true);
end
$$;
comment on function read_whole_tables is 'Called by functions of erase_kontakt: whether the next statements of its caller read whole tables.';

create or replace function leads_in_events(keys text[], hints text[], out named uuid[], out created uuid[])
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
begin
  -- Materialized, so that it is found by an index of its own and not by its type.
  with carrying as materialized (
    select events.event_type, events.links from events where carries_key(events.data, keys, hints)
  )
  select coalesce(array_agg((carrying.links ->> 'lead_id')::uuid), '{}'),
    coalesce(array_agg((carrying.links ->> 'lead_id')::uuid) filter (where carrying.event_type = 'lead.created'), '{}')
  into named, created
  from carrying
  where carrying.links ->> 'lead_id' is not null;
  -- A lead that never had a mail or phone is the contact's that its analyses or signals name.
  created := created || array(
    with naming as materialized (
      select distinct lower(events.links ->> 'lead_id') as lead_id
      from events
      where lower(coalesce(events.data ->> 'kontakt_key', events.data ->> 'canonical_key')) = any (keys) and events.links ->> 'lead_id' is not null
    )
    select naming.lead_id::uuid
    from naming
    where exists (
      select from events
      where lower(coalesce(events.links ->> 'lead_id', events.data ->> 'lead_id')) = naming.lead_id and events.event_type = 'lead.created'
        and kontakt_key(events.data ->> 'email') is null and kontakt_key(events.data ->> 'phone') is null));
end
$$;
comment on function leads_in_events is 'Leads that some event names together with one of the keys. created: it is the event of their making, or they never had a mail or phone.';

-- What a deleted lead left behind has lost its lead_id, while events still name both.
create or replace function left_behind_by(gone uuid[], out row_ids uuid[], out sessions uuid[])
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
begin
  with naming as materialized (
    select events.object_type, events.object_id, events.links
    from events
    where gone <> '{}' and lower(coalesce(events.links ->> 'lead_id', events.data ->> 'lead_id')) = any (gone::text[])
  )
  select
    array(select substr(kontakt_key_lead(naming.object_id), 6)::uuid from naming where naming.object_type in ('appointment', 'signal', 'advisory_doc')),
    array(select (naming.links ->> 'session_id')::uuid from naming where naming.links ->> 'session_id' is not null)
  into row_ids, sessions;
end
$$;
comment on function left_behind_by is 'Rows and conversations that events of deleted leads name.';

create or replace function events_about(person record) returns bigint[]
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  names constant text[] := person.names;
  lead_names constant text[] := person.lead_names;
  sessions constant text[] := person.sessions;
  keys constant text[] := person.keys;
  hints constant text[] := person.hints;
  log_ids bigint[];
  gone text[];
begin
  log_ids := array(
    select events.log_id
    from events
    where names_person(events.object_id, events.links, events.data, names, lead_names, sessions, keys)
      or carries_key(events.data, keys, hints));
  -- Not every event of a row names its lead: none of a meeting does, and no other from before the row got its lead. A row
  -- that is still there is in names; of one that a writer has deleted the events that do name the lead tell.
  gone := array(
    select distinct lower(events.object_id)
    from events
    where events.log_id = any (log_ids) and events.object_type in ('analysis', 'appointment', 'signal', 'advisory_doc')
      and kontakt_key_lead(events.object_id) is not null
    except
    select known.id::text
    from (
      select lead_analyses.id from lead_analyses union all select appointments.id from appointments
      union all select signals.id from signals union all select advisory_docs.id from advisory_docs
    ) as known
    where known.id = any (array(select substr(kontakt_key_lead(events.object_id), 6)::uuid from events where events.log_id = any (log_ids))));
  return log_ids || array(
    select events.log_id
    from events
    where gone <> '{}' and lower(events.object_id) = any (gone) and events.log_id <> all (log_ids));
end
$$;
comment on function events_about is 'The log_ids of the events about a person of find_kontakt, with a cursor or without.';

create or replace function cursors_of(log_ids bigint[]) returns bigint[]
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
begin
  return array(select event_cursors.cursor from event_cursors where event_cursors.log_id = any (log_ids) order by event_cursors.cursor);
end
$$;
comment on function cursors_of is 'The cursors of events, where they have one.';
