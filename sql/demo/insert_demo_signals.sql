-- Inserts demo signals.
--
-- $1 rows  a JSON array of them, each with all of these columns
prepare insert_demo_signals (text) as
insert into signals (
  id, kind, title, status, score, lead_id, detected_at, updated_at, kontakt_key, quelle, outcome)
select
  id, kind, title, status, score, lead_id, detected_at, updated_at, kontakt_key, quelle, outcome
from jsonb_populate_recordset(null::signals, $1::jsonb);
