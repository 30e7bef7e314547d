-- The envelope as it is sent. One expression, so that the planner inlines it.
--
-- @needs documents/moment

create or replace function event_body(event events) returns text
  language sql stable
  return case when event.id is not null then row_to_json(row(
    event.id, event.event_type, event.schema_version, moment(event.occurred_at), event.object_type, event.object_id,
    event.links, event.data)::event_envelope)::text end;
comment on function event_body is 'The envelope as it is sent, without its cursor; null where there is no event.';
