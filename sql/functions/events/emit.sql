-- Events of producers: emit_event.
--
-- @needs documents/bounds, events/links, income/rows

-- For the functions of the schema, and for their owner. Refuses a type outside the enumeration.
create or replace function append_event(event_type text, object_type text, object_id text, links jsonb, data jsonb)
  returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  version text;
  event_id uuid;
begin
  select event_types.schema_version into version from event_types
    where event_types.event_type = append_event.event_type;
  if version is null then
    raise exception 'There is no event type %', append_event.event_type
      using errcode = 'invalid_parameter_value', hint = 'select event_type from event_types';
  end if;
  if jsonb_typeof(append_event.data) is distinct from 'object' then
    raise exception 'data of an event must be a JSON object' using errcode = 'invalid_parameter_value';
  end if;
  -- Before the id is drawn: by it the sequencer knows which transactions can still add an event with a lower id.
  perform pg_current_xact_id();
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  values (
    append_event.event_type, version, append_event.object_type, append_event.object_id,
    event_links((append_event.links ->> 'lead_id')::uuid, (append_event.links ->> 'session_id')::uuid),
      keep_identifiers(append_event.data, redact_income(append_event.data)))
  returning events.id into event_id;
  return event_id;
end
$$;
comment on function append_event is
  'Called by emit_event: puts an event of a known type into the feed, whatever its data.';

-- For producers inside their own transaction. A number that a member holds, its depth and its size are checked as
-- those of stored documents are; what the values of members mean is the producer's.
create or replace function emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb)
  returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  published constant text[] := (
    select event_types.members from event_types where event_types.event_type = emit_event.event_type);
  given constant text[] := case when jsonb_typeof(data) = 'object' then array(select jsonb_object_keys(data)) end;
  object_types constant text[] := '{lead,analysis,haushalt,kontakt,appointment,signal,meeting,advisory_doc}';
begin
  if object_type = any (object_types) is not true or coalesce(object_id, '') = '' then
    raise exception 'object_type must be one of %, and object_id its id', array_to_string(object_types, ', ')
      using errcode = 'invalid_parameter_value';
  end if;
  if not (given @> published and published @> given) then
    raise exception 'data of % has exactly the members %', event_type, array_to_string(published, ', ')
      using errcode = 'invalid_parameter_value';
  end if;
  if not are_bounded(data) then
    perform require_bounded('{data}', data);
  end if;
  return append_event(event_type, object_type, object_id, links, data);
end
$$;
comment on function emit_event is
  'Puts an event of a known type with its members into the feed, in the caller''s transaction; returns its id.';
revoke execute on function emit_event, append_event from public;
