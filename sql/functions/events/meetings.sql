-- Events of meetings: meeting.intelligence_ready, meeting.intelligence_failed.
--
-- @needs documents/meeting, events/links

create or replace function meeting_intelligence_events(before meeting_intelligence, after meeting_intelligence)
  returns setof new_event
  language sql stable
begin atomic
  select 'meeting.intelligence_' || (after).status, '1', 'meeting', (after).appointment_id::text,
    event_links(null, null),
    case when (after).status = 'ready' then jsonb_build_object(
      'appointment_id', (after).appointment_id, 'summary', (after).summary, 'next_steps', (after).next_steps,
      'overall_score', (after).overall_score, 'results', delivered_results((after).results))
    else jsonb_build_object('appointment_id', (after).appointment_id, 'failure_reason', (after).failure_reason) end
  where (after).status is distinct from (before).status;
end;
comment on function meeting_intelligence_events is 'Events of a changed row, or of a new one: then before is null.';
