-- Between the bulk of a large demo, which is made without any income, and the edge rows, which carry one in every form.
alter table leads enable always trigger leads_income;
alter table leads enable always trigger leads_income_documents;
alter table lead_analyses enable always trigger lead_analyses_income;
alter table haushalte enable always trigger haushalte_income;
alter table meeting_intelligence enable always trigger meeting_intelligence_income;
