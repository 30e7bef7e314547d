-- Between the bulk of a large demo, which is made without any income, and the edge rows, which carry one in every form.
alter table leads enable trigger leads_income;
alter table lead_analyses enable trigger lead_analyses_income;
alter table haushalte enable trigger haushalte_income;
alter table meeting_intelligence enable trigger meeting_intelligence_income;
