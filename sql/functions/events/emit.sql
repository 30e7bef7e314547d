-- Events of producers: emit_event.
--
-- @needs documents/bounds, events/links, income/rows

-- For producers inside their own transaction. A number that a member holds, its depth and its size are checked as
-- those of stored documents are; what the values of members mean is the producer's.
create or replace function emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb)
  returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  object_types constant text[] := '{lead,analysis,haushalt,kontakt,appointment,signal,meeting,advisory_doc}';
  known event_types;
  event_id uuid;
begin
  select * into known from event_types where event_types.event_type = emit_event.event_type;
  if object_type = any (object_types) is not true or coalesce(object_id, '') = '' then
    raise exception 'object_type must be one of %, and object_id its id', array_to_string(object_types, ', ')
      using errcode = 'invalid_parameter_value';
  elsif known.event_type is null then
    raise exception 'There is no event type %', event_type
      using errcode = 'invalid_parameter_value', hint = 'select event_type from event_types';
  elsif jsonb_typeof(data) is distinct from 'object' then
    raise exception 'data of an event must be a JSON object' using errcode = 'invalid_parameter_value';
  elsif not data ?& known.members or data - known.members <> '{}' then
    raise exception 'data of % has exactly the members %', event_type, array_to_string(known.members, ', ')
      using errcode = 'invalid_parameter_value';
  elsif not are_bounded(data) then
    perform require_bounded('{data}', data);
  end if;
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  values (known.event_type, known.schema_version, object_type, object_id,
    event_links((links ->> 'lead_id')::uuid, (links ->> 'session_id')::uuid),
    keep_identifiers(data, redact_income(data)))
  returning events.id into event_id;
  return event_id;
end
$$;
comment on function emit_event is
  'Puts an event of a known type with its members into the feed, in the caller''s transaction; returns its id.';
revoke execute on function emit_event from public;
