-- Which events are about a person. Each condition has its index on events.
--
-- @needs identity/hints, identity/kontakt_key

-- The planner inlines these as long as no argument is a function call.
create or replace function carries_key(data jsonb, keys text[], hints text[]) returns boolean
  language sql immutable parallel safe
  return (kontakt_key_hint(data ->> 'email') = any (hints) and kontakt_key(data ->> 'email') = any (keys))
    or (kontakt_key_hint(data ->> 'phone') = any (hints) and kontakt_key(data ->> 'phone') = any (keys));
comment on function carries_key is
  'Whether the payload of an event has the address or the number of one of the keys; hints are those of the keys.';

create or replace function names_person(
    object_id text, links jsonb, data jsonb, names text[], lead_ids text[], sessions text[], keys text[])
      returns boolean
  language sql immutable parallel safe
  return lower(object_id) = any (names)
    or lower(coalesce(links ->> 'lead_id', data ->> 'lead_id')) = any (lead_ids)
    or (links ->> 'session_id' = any (sessions) and lower(coalesce(links ->> 'lead_id', data ->> 'lead_id')) is null)
    or lower(coalesce(data ->> 'kontakt_key', data ->> 'canonical_key')) = any (keys);
comment on function names_person is
  'Whether an event names one of these rows, leads or keys, or no lead and one of these conversations.';

-- Materialized, so that rows are found by the index of the condition and not by the type.
create or replace function leads_in_events(keys text[], hints text[], out named uuid[], out created uuid[])
  language plpgsql stable set search_path = public, pg_temp as $$
begin
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
      where lower(coalesce(events.data ->> 'kontakt_key', events.data ->> 'canonical_key')) = any (keys)
        and events.links ->> 'lead_id' is not null
    )
    select naming.lead_id::uuid
    from naming
    where exists (
      select from events
      where lower(coalesce(events.links ->> 'lead_id', events.data ->> 'lead_id')) = naming.lead_id
        and events.event_type = 'lead.created'
        and kontakt_key(events.data ->> 'email') is null and kontakt_key(events.data ->> 'phone') is null));
end
$$;
comment on function leads_in_events is
  'Leads that some event names together with one of the keys; created: those that were made with it, or with no key.';

-- What a deleted lead left behind has lost its lead_id, while events still name both.
create or replace function left_behind_by(gone uuid[], out row_ids uuid[], out sessions uuid[])
  language sql stable set search_path = public, pg_temp
begin atomic
  select array_agg(substr(kontakt_key_lead(events.object_id), 6)::uuid)
      filter (where events.object_type in ('appointment', 'signal', 'advisory_doc')),
    array_agg((events.links ->> 'session_id')::uuid)
  from events
  where lower(coalesce(events.links ->> 'lead_id', events.data ->> 'lead_id')) = any (gone::text[]);
end;
comment on function left_behind_by is 'Rows and conversations that events of deleted leads name.';

-- Not every event of a row names its lead: none of a meeting does, and no other from before the row got its lead. A row
-- that exists is in names; of a deleted one those events lead to it that do name the lead.
create or replace function events_about(names text[], lead_names text[], sessions text[], keys text[], hints text[])
  returns bigint[]
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  log_ids constant bigint[] := array(
    select events.log_id
    from events
    where names_person(events.object_id, events.links, events.data, names, lead_names, sessions, keys)
      or carries_key(events.data, keys, hints));
  objects constant uuid[] := array(
    select distinct substr(kontakt_key_lead(events.object_id), 6)::uuid
    from events
    where events.log_id = any (log_ids) and events.object_type in ('analysis', 'appointment', 'signal',
      'advisory_doc'));
  gone constant text[] := array(
    select unnest(objects)::text
    except select lead_analyses.id::text from lead_analyses where lead_analyses.id = any (objects)
    except select appointments.id::text from appointments where appointments.id = any (objects)
    except select signals.id::text from signals where signals.id = any (objects)
    except select advisory_docs.id::text from advisory_docs where advisory_docs.id = any (objects));
begin
  return log_ids || array(
    select events.log_id from events where lower(events.object_id) = any (gone) and events.log_id <> all (log_ids));
end
$$;
comment on function events_about is 'The log_ids of the events about a person, with a cursor or without.';

create or replace function cursors_of(log_ids bigint[]) returns bigint[]
  language plpgsql stable set search_path = public, pg_temp as $$
begin
  return array(
    select event_cursors.cursor from event_cursors where event_cursors.log_id = any (log_ids)
    order by event_cursors.cursor);
end
$$;
comment on function cursors_of is 'The cursors of events, where they have one.';
