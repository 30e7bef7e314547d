-- Inserts demo analyses.
--
-- $1 rows  a JSON array of them, each with all of these columns
prepare insert_demo_lead_analyses (text) as
insert into lead_analyses (
  id, lead_id, channel, source_id, analysis_schema_version, analysis, analysis_v2, din_check, created_at, session_id,
  kontakt_key)
select
  id, lead_id, channel, source_id, analysis_schema_version, analysis, analysis_v2, din_check, created_at, session_id,
  kontakt_key
from jsonb_populate_recordset(null::lead_analyses, $1::jsonb);
