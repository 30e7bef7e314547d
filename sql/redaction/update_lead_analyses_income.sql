-- Applies the income rule to the next analyses in the order of their keys. Returns how far it came.
-- The rule is asked of each row as it is when it is locked, so that no writer's change is undone.
--
-- $1 after_key? id of the last row looked at; null: from the first
-- $2 limit
--
-- @uses lead_analyses_pkey
prepare update_lead_analyses_income (text, integer) as
with batch as (
  select lead_analyses.id
  from lead_analyses
  where $1 is null or lead_analyses.id > $1::uuid
  order by lead_analyses.id
  limit $2
),
changed as (
  update lead_analyses
  set (analysis, analysis_v2, din_check) = (
    select cleaned.analysis, cleaned.analysis_v2, cleaned.din_check
    from jsonb_populate_record(lead_analyses, income_changes(to_jsonb(lead_analyses),
      '{analysis,analysis_v2,din_check}')) as cleaned)
  from batch
  where lead_analyses.id = batch.id
    and income_changes(to_jsonb(lead_analyses),
      '{analysis,analysis_v2,din_check}') <> '{}'
  returning lead_analyses.id
)
select
  (select batch.id::text from batch order by batch.id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
