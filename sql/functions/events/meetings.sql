-- Events of meetings: meeting.intelligence_ready, meeting.intelligence_failed.
--
-- @needs documents/meeting, events/links

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

create or replace function meeting_intelligence_events(before meeting_intelligence, after meeting_intelligence)
  returns setof new_event
  language sql stable
begin atomic
  select change.event_type, '1', 'meeting', (after).appointment_id::text, event_links(null, null), change.data
  from (
    select 'meeting.intelligence_' || (after).status, meeting_payload(after)
    where (after).status is distinct from (before).status
  ) as change (event_type, data);
end;
comment on function meeting_intelligence_events is 'Events of a changed row, or of a new one: then before is null.';
