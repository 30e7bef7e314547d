-- Counts the rows that the income rule is applied to, table by table.
-- Uses leads_pkey, lead_analyses_pkey, haushalte_pkey, meeting_intelligence_pkey, event_outbox_pkey, events_pkey.
prepare get_redaction_totals as
select
  (select count(*) from leads) as leads,
  (select count(*) from lead_analyses) as lead_analyses,
  (select count(*) from haushalte) as haushalte,
  (select count(*) from meeting_intelligence) as meeting_intelligence,
  (select count(*) from event_outbox) as event_outbox,
  (select count(*) from events) as events;
