-- The envelope as it is sent.

create or replace function event_body(event events) returns text
  language sql stable
  return case when event.id is not null then json_build_object(
    'id', event.id, 'event_type', event.event_type, 'schema_version', event.schema_version,
    'occurred_at', event.occurred_at, 'object_type', event.object_type, 'object_id', event.object_id,
    'links', event.links, 'data', event.data)::text end;
comment on function event_body is 'The envelope of an event without its cursor, exactly as it is sent; null where there is no event.';
