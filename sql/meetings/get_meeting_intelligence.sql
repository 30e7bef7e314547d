-- What was found in a meeting. An appointment without findings answers with none.
-- The summary and the next steps are result entries too, unless the findings bring entries of that name.
--
-- $1 appointment_id
--
-- @replica answers
-- @uses appointments_pkey, meeting_intelligence_pkey
-- @not_null appointment: json_build_object is never null
-- @not_null results: coalesce ends with []
prepare get_meeting_intelligence (uuid) as
select
  json_build_object(
    'id', appointments.id,
    'title', appointments.title,
    'status', appointments.status,
    'platform', appointments.platform,
    'meeting_url', appointments.meeting_url,
    'starts_at', appointments.starts_at,
    'ends_at', appointments.ends_at,
    'customer_display_name', appointments.customer_display_name,
    'source', appointments.source,
    'intelligence_status', appointments.intelligence_status,
    'created_at', appointments.created_at
  ) as appointment,
  meeting_intelligence.overall_score,
  meeting_intelligence.customer_persona,
  meeting_intelligence.conversation_type,
  coalesce(meeting_results(meeting_intelligence), '[]') as results
from appointments
left join meeting_intelligence on meeting_intelligence.appointment_id = appointments.id
where appointments.id = $1;
