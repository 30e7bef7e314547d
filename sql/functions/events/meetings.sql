-- Events of meetings: meeting.intelligence_ready, meeting.intelligence_failed.
--
-- @needs documents/meeting

create or replace function meeting_payload(found meeting_intelligence) returns jsonb
  language sql stable parallel safe
  return case when (found).status = 'ready' then
    jsonb_build_object(
      'appointment_id', (found).appointment_id, 'summary', (found).summary, 'next_steps', (found).next_steps,
      'overall_score', (found).overall_score, 'results', delivered_results((found).results))
  else
    jsonb_build_object('appointment_id', (found).appointment_id, 'failure_reason', (found).failure_reason)
  end;
comment on function meeting_payload is 'data of meeting.intelligence_ready or meeting.intelligence_failed.';

create or replace function emit_meeting_found() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select 'meeting.intelligence_' || new_rows.status, '1', 'meeting', new_rows.appointment_id,
    event_links(null, null), meeting_payload(new_rows)
  from new_rows;
  return null;
end
$$;
revoke execute on function emit_meeting_found from public;

create or replace function emit_meeting_changed() returns trigger
  language plpgsql security definer set timezone = 'UTC' set search_path = public, pg_temp as $$
begin
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select 'meeting.intelligence_' || new_rows.status, '1', 'meeting', new_rows.appointment_id,
    event_links(null, null), meeting_payload(new_rows)
  from new_rows
  join old_rows on old_rows.appointment_id = new_rows.appointment_id
  where new_rows.status <> old_rows.status;
  return null;
end
$$;
revoke execute on function emit_meeting_changed from public;
