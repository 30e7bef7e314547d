-- The envelope as it is sent.

create or replace function event_body(event events) returns text
  language sql stable
  return (
    select row_to_json(envelope)::text
    from (
      select event.id, event.event_type, event.schema_version, event.occurred_at, event.object_type, event.object_id,
        event.links, event.data
    ) as envelope
    where event.id is not null);
comment on function event_body is 'The envelope of an event without its cursor, exactly as it is sent; null where there is no event.';
