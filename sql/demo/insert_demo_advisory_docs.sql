-- Inserts demo advisory documents.
--
-- $1 rows  a JSON array of them; a column that a row does not name is null
prepare insert_demo_advisory_docs (text) as
insert into advisory_docs
select * from jsonb_populate_recordset(null::advisory_docs, $1::jsonb);
