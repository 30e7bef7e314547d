-- Applies the income rule to the next meetings in the order of their keys. Returns how far it came.
-- The rule is asked of each row as it is when it is locked, so that no writer's change is undone.
--
-- $1 after_key? appointment id of the last row looked at; null: from the first
-- $2 limit
--
-- @uses meeting_intelligence_pkey
prepare update_meeting_intelligence_income (text, integer) as
with batch as (
  select meeting_intelligence.appointment_id
  from meeting_intelligence
  where $1 is null or meeting_intelligence.appointment_id > $1::uuid
  order by meeting_intelligence.appointment_id
  limit $2
),
changed as (
  update meeting_intelligence
  set (failure_reason, customer_persona, conversation_type, summary, next_steps, results) = (
    select cleaned.failure_reason, cleaned.customer_persona, cleaned.conversation_type, cleaned.summary,
      cleaned.next_steps, cleaned.results
    from jsonb_populate_record(meeting_intelligence, income_changes(to_jsonb(meeting_intelligence),
      '{failure_reason,customer_persona,conversation_type,summary,next_steps,results}')) as cleaned)
  from batch
  where meeting_intelligence.appointment_id = batch.appointment_id
    and income_changes(to_jsonb(meeting_intelligence),
      '{failure_reason,customer_persona,conversation_type,summary,next_steps,results}') <> '{}'
  returning meeting_intelligence.appointment_id
)
select
  (select batch.appointment_id::text from batch order by batch.appointment_id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
