-- Events of appointments: appointment.scheduled, appointment.cancelled, appointment.updated.
--
-- @needs documents/moment

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

create or replace function emit_appointment_created() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'appointment', new_rows.id,
    event_links(new_rows.lead_id, new_rows.session_id), appointment_payload(new_rows)
  from new_rows
  cross join lateral (
    select 'appointment.scheduled' as event_type
    union all
    select 'appointment.cancelled' where new_rows.status = 'cancelled'
  ) as change;
  return null;
end
$$;
revoke execute on function emit_appointment_created from public;

create or replace function emit_appointment_changed() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select change.event_type, '1', 'appointment', new_rows.id,
    event_links(new_rows.lead_id, new_rows.session_id), appointment_payload(new_rows)
  from new_rows
  join old_rows on old_rows.id = new_rows.id
  cross join lateral (
    select 'appointment.updated' as event_type
    where (new_rows.title, new_rows.starts_at, new_rows.ends_at, new_rows.platform, new_rows.meeting_url)
      is distinct from (redact_income(old_rows.title), old_rows.starts_at, old_rows.ends_at,
        redact_income(old_rows.platform), old_rows.meeting_url)
    union all
    select 'appointment.cancelled'
    where new_rows.status = 'cancelled' and old_rows.status <> 'cancelled'
  ) as change;
  return null;
end
$$;
revoke execute on function emit_appointment_changed from public;
