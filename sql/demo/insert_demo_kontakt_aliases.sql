-- Inserts demo aliases.
--
-- $1 rows  a JSON array of them, each with all of these columns
prepare insert_demo_kontakt_aliases (text) as
insert into kontakt_aliases (
  alias_key, canonical_key, created_at)
select
  alias_key, canonical_key, created_at
from jsonb_populate_recordset(null::kontakt_aliases, $1::jsonb);
