-- Inserts demo analyses.
--
-- $1 rows  a JSON array of them; a column that a row does not name is null
prepare insert_demo_lead_analyses (text) as
insert into lead_analyses
select * from jsonb_populate_recordset(null::lead_analyses, $1::jsonb);
