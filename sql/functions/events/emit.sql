-- What turns changes into events. Every function runs once per statement over all rows it changed, so a
-- bulk write of 100,000 rows stays one insert. TimeZone is pinned: moments inside payloads look the same
-- whatever the writer's session has set; and search_path, so that no temporary table takes an event.
-- redact_income has cleaned a row before it comes here. What was stored before may still hold income: a
-- change of nothing but that is no change.

create or replace function event_links(lead_id uuid, session_id uuid) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object('lead_id', lead_id, 'session_id', session_id);
comment on function event_links is 'The links member of the envelope.';

-- For the functions of the schema, and for their owner. Refuses a type outside the enumeration.
create or replace function append_event(event_type text, object_type text, object_id text, links jsonb, data jsonb) returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  version text;
  event_id uuid;
begin
  select event_types.schema_version into version from event_types where event_types.event_type = append_event.event_type;
  if version is null then
    raise exception 'There is no event type %', append_event.event_type
      using errcode = 'invalid_parameter_value', hint = 'select event_type from event_types';
  end if;
  if jsonb_typeof(append_event.data) is distinct from 'object' then
    raise exception 'data of an event must be a JSON object' using errcode = 'invalid_parameter_value';
  end if;
  -- Before the id is drawn: the sequencer tells by it which transactions can still add an event with a lower id.
  perform pg_current_xact_id();
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  values (
    append_event.event_type, version, append_event.object_type, append_event.object_id,
    event_links((append_event.links ->> 'lead_id')::uuid, (append_event.links ->> 'session_id')::uuid), redact_event_data(append_event.data))
  returning events.id into event_id;
  return event_id;
end
$$;
comment on function append_event is 'Called by emit_event: puts an event of a known type into the feed, whatever its data.';

-- Of JSON Schema what the published ones use. The fault names places of the schema, and nothing of what was given.
create or replace function json_fault(schema jsonb, given jsonb, place text) returns text
  language plpgsql immutable set search_path = public, pg_temp as $$
declare
  kind constant text := jsonb_typeof(given);
  word constant text := given #>> '{}';
  number constant numeric := case when kind = 'number' then word::numeric end;
begin
  if schema ? 'anyOf' then
    return case when not exists (
      select from jsonb_array_elements(schema -> 'anyOf') as choice (schema) where json_fault(choice.schema, given, place) is null
    ) then place || ' has a value that it may not have' end;
  end if;
  if not (coalesce(schema ->> 'type', kind) = kind or schema ->> 'type' = 'integer' and coalesce(number % 1 = 0, false)) then
    return place || ' must be of type ' || (schema ->> 'type');
  end if;
  -- A number that a double cannot hold would end the reading of a whole page.
  if schema -> 'const' <> given or number < (schema ->> 'minimum')::numeric or abs(number) > 1e300 then
    return place || ' has a value that it may not have';
  end if;
  if schema ->> 'format' = 'uuid' and word !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    or schema ->> 'format' = 'date-time' and not is_date_time(word) then
    return place || ' must be a ' || (schema ->> 'format');
  end if;
  if kind = 'array' then
    return (
      select json_fault(schema -> 'items', element.value, place || '[]') as fault
      from jsonb_array_elements(given) as element
      where schema ? 'items' and json_fault(schema -> 'items', element.value, place || '[]') is not null
      limit 1);
  end if;
  if kind <> 'object' then
    return null;
  end if;
  if schema -> 'additionalProperties' = 'false' and exists (
      select from jsonb_object_keys(given) as member where not coalesce(schema -> 'properties', '{}') ? member) then
    return place || ' has a member that is not published';
  end if;
  return (
    select found.fault
    from jsonb_each(coalesce(schema -> 'properties', '{}')) as property
    cross join lateral (
      select case
        when given ? property.key then json_fault(property.value, given -> property.key, place || '.' || property.key)
        when schema -> 'required' ? property.key then place || ' lacks ' || property.key
      end as fault
    ) as found
    where found.fault is not null
    limit 1);
end
$$;
comment on function json_fault is 'Called by emit_event: what keeps a value from being as a JSON Schema says; null: nothing.';

-- For producers inside their own transaction.
create or replace function emit_event(event_type text, object_type text, object_id text, links jsonb, data jsonb) returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  schema constant jsonb := (select event_types.payload from event_types where event_types.event_type = emit_event.event_type);
  fault constant text := case when jsonb_typeof(data) = 'object' then json_fault(schema, data, 'data') end;
  object_types constant text[] := '{lead,analysis,haushalt,kontakt,appointment,signal,meeting,advisory_doc}';
begin
  if object_type = any (object_types) is not true or coalesce(object_id, '') = '' then
    raise exception 'object_type must be one of %, and object_id its id', array_to_string(object_types, ', ')
      using errcode = 'invalid_parameter_value';
  end if;
  if fault is not null then
    raise exception 'data of % is not as published: %', emit_event.event_type, fault
      using errcode = 'invalid_parameter_value', hint = format('select jsonb_pretty(payload) from event_types where event_type = %L', emit_event.event_type);
  end if;
  return append_event(event_type, object_type, object_id, links, data);
end
$$;
comment on function emit_event is 'Puts an event of a known type with the published data into the feed, in the caller''s transaction; returns its id.';
revoke execute on function emit_event, append_event from public;
