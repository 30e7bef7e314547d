-- Inserts demo household records.
--
-- $1 rows  a JSON array of them, each with all of these columns
prepare insert_demo_haushalte (text) as
insert into haushalte (
  kontakt_key, haushalt, provenance, din_check, empfehlungen_aktuell, quelle, updated_at)
select
  kontakt_key, haushalt, provenance, din_check, empfehlungen_aktuell, quelle, updated_at
from jsonb_populate_recordset(null::haushalte, $1::jsonb);
