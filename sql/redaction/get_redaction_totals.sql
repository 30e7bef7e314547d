-- Counts the rows that the income rule is applied to, table by table.
--
-- @uses leads_pkey, lead_analyses_pkey, haushalte_pkey, meeting_intelligence_pkey, appointments_pkey, signals_pkey
-- @uses advisory_docs_pkey, events_pkey
prepare get_redaction_totals as
select
  (select count(*) from leads) as leads,
  (select count(*) from lead_analyses) as lead_analyses,
  (select count(*) from haushalte) as haushalte,
  (select count(*) from meeting_intelligence) as meeting_intelligence,
  (select count(*) from appointments) as appointments,
  (select count(*) from signals) as signals,
  (select count(*) from advisory_docs) as advisory_docs,
  (select count(*) from events) as events;
