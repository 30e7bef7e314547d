-- Inserts demo leads.
--
-- $1 rows  a JSON array of them, each with all of these columns
prepare insert_demo_leads (text) as
insert into leads (
  id, name, email, phone, status, source_type, contacted_at, archived_at, archive_reason_code, parsed_data, created_at,
  product_domain, session_id)
select
  id, name, email, phone, status, source_type, contacted_at, archived_at, archive_reason_code, parsed_data, created_at,
  product_domain, session_id
from jsonb_populate_recordset(null::leads, $1::jsonb);
