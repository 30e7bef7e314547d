-- Inserts demo signals.
--
-- $1 rows  a JSON array of them; a column that a row does not name is null
prepare insert_demo_signals (text) as
insert into signals
select * from jsonb_populate_recordset(null::signals, $1::jsonb);
