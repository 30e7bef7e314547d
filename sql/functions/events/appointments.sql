-- Events of appointments: appointment.scheduled, appointment.cancelled, appointment.updated.
--
-- @needs documents/moment, events/links, income/rows

create or replace function appointment_payload(appointment appointments) returns jsonb
  language sql stable parallel safe
  return jsonb_build_object(
    'appointment_id', (appointment).id,
    'title', (appointment).title,
    'starts_at', moment((appointment).starts_at),
    'ends_at', moment((appointment).ends_at),
    'platform', (appointment).platform,
    'meeting_url', (appointment).meeting_url,
    'customer_display_name', (appointment).customer_display_name,
    'source', (appointment).source);
comment on function appointment_payload is 'data of the appointment events.';

create or replace function appointments_events(before appointments, after appointments) returns setof new_event
  language sql stable
begin atomic
  select change.event_type, '1', 'appointment', (after).id::text,
    event_links((after).lead_id, (after).session_id), change.data
  from (
    select 'appointment.scheduled', appointment_payload(after) where (before).id is null
    union all
    select 'appointment.updated', appointment_payload(after)
    where (before).id is not null
      and ((after).title, (after).starts_at, (after).ends_at, (after).platform, (after).meeting_url)
        is distinct from (redact_income((before).title), (before).starts_at, (before).ends_at,
          redact_income((before).platform), (before).meeting_url)
    union all
    select 'appointment.cancelled', appointment_payload(after)
    where (after).status = 'cancelled' and (before).status is distinct from 'cancelled'
  ) as change (event_type, data);
end;
comment on function appointments_events is 'Events of a changed row, or of a new one: then before is null.';
