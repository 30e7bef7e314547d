-- One lead, archived or not.
--
-- $1 lead_id
--
-- @replica answers
-- @uses leads_pkey
prepare get_lead (uuid) as
select id, name, email, phone, status, source_type, contacted_at, archived_at, archive_reason_code,
  parsed_data, created_at
from leads
where id = $1;
