-- The newest needs analysis of a lead, whichever channel it came from.
--
-- $1 lead_id
--
-- @replica answers
-- @uses lead_analyses_newest_idx
prepare get_lead_analysis (uuid) as
select lead_id, channel, source_id, analysis_schema_version, analysis, analysis_v2, din_check, created_at
from lead_analyses
where lead_id = $1
order by created_at desc, id desc
limit 1;
