-- Inserts demo aliases.
--
-- $1 rows  a JSON array of them; a column that a row does not name is null
prepare insert_demo_kontakt_aliases (text) as
insert into kontakt_aliases
select * from jsonb_populate_recordset(null::kontakt_aliases, $1::jsonb);
