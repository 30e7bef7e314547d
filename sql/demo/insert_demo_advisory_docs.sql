-- Inserts demo advisory documents.
--
-- $1 rows  a JSON array of them, each with all of these columns
prepare insert_demo_advisory_docs (text) as
insert into advisory_docs (
  id, lead_id, title, approved_at, sent_at, created_at)
select
  id, lead_id, title, approved_at, sent_at, created_at
from jsonb_populate_recordset(null::advisory_docs, $1::jsonb);
