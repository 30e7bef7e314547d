-- Inserts demo appointments.
--
-- $1 rows  a JSON array of them, each with all of these columns
prepare insert_demo_appointments (text) as
insert into appointments (
  id, title, status, platform, meeting_url, starts_at, ends_at, customer_display_name, source, intelligence_status,
  created_at, lead_id, session_id)
select
  id, title, status, platform, meeting_url, starts_at, ends_at, customer_display_name, source, intelligence_status,
  created_at, lead_id, session_id
from jsonb_populate_recordset(null::appointments, $1::jsonb);
