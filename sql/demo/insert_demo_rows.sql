-- Inserts demo rows, with a function of make_functions.sql.
--
-- $1 table_name
-- $2 rows        a JSON array of them; a column that a row does not name is null
prepare insert_demo_rows (text, text) as
select pg_temp.insert_rows($1::regclass, $2::jsonb)::text as inserted;
