-- The newest needs analysis of a lead, whichever channel it came from.
--
-- $1 lead_id
--
-- @replica answers
-- @uses lead_analyses_newest_idx
-- @not_null created_at: written from columns that are not null
prepare get_lead_analysis (uuid) as
select lead_id, channel, source_id, analysis_schema_version, analysis, analysis_v2, din_check,
  moment(created_at) as created_at
from lead_analyses
where lead_id = $1
order by lead_analyses.created_at desc, lead_analyses.id desc
limit 1;
