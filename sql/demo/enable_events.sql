-- Ends what disable_events.sql began.
alter table leads enable trigger user;
alter table lead_analyses enable trigger user;
alter table haushalte enable trigger user;
alter table appointments enable trigger user;
alter table meeting_intelligence enable trigger user;
alter table signals enable trigger user;
alter table advisory_docs enable trigger user;
alter table leads enable always trigger leads_income;
alter table leads enable always trigger leads_income_documents;
alter table lead_analyses enable always trigger lead_analyses_income;
alter table haushalte enable always trigger haushalte_income;
alter table haushalte enable always trigger haushalte_income_quelle;
alter table appointments enable always trigger appointments_income;
alter table meeting_intelligence enable always trigger meeting_intelligence_income;
alter table signals enable always trigger signals_income;
alter table advisory_docs enable always trigger advisory_docs_income;
