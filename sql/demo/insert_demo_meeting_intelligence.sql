-- Inserts demo findings of meetings.
--
-- $1 rows  a JSON array of them, each with all of these columns
prepare insert_demo_meeting_intelligence (text) as
insert into meeting_intelligence (
  appointment_id, status, failure_reason, overall_score, customer_persona, conversation_type, summary, next_steps,
    results,
  created_at)
select
  appointment_id, status, failure_reason, overall_score, customer_persona, conversation_type, summary, next_steps,
    results,
  created_at
from jsonb_populate_recordset(null::meeting_intelligence, $1::jsonb);
