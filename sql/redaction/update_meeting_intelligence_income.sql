-- Applies the income rule to the next meetings in the order of their keys, and says how far it came.
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
  set
    failure_reason = redact_income(meeting_intelligence.failure_reason),
    customer_persona = redact_income(meeting_intelligence.customer_persona),
    conversation_type = redact_income(meeting_intelligence.conversation_type),
    summary = redact_income(meeting_intelligence.summary),
    next_steps = redact_income(meeting_intelligence.next_steps),
    results = redact_income_results(meeting_intelligence.results)
  from batch
  where meeting_intelligence.appointment_id = batch.appointment_id
    and (meeting_intelligence.failure_reason, meeting_intelligence.customer_persona, meeting_intelligence.conversation_type, meeting_intelligence.summary, meeting_intelligence.next_steps, meeting_intelligence.results) is distinct from
      (redact_income(meeting_intelligence.failure_reason), redact_income(meeting_intelligence.customer_persona), redact_income(meeting_intelligence.conversation_type), redact_income(meeting_intelligence.summary), redact_income(meeting_intelligence.next_steps), redact_income_results(meeting_intelligence.results))
  returning meeting_intelligence.appointment_id
)
select
  (select batch.appointment_id::text from batch order by batch.appointment_id desc limit 1) as last_key,
  (select count(*)::integer from batch) as seen,
  (select count(*)::integer from changed) as changed;
