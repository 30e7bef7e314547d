-- One lead, archived or not.
--
-- $1 lead_id
--
-- @replica answers
-- @uses leads_pkey
-- @not_null created_at: written from columns that are not null
prepare get_lead (uuid) as
select id, name, email, phone, status, source_type, moment(contacted_at) as contacted_at,
  moment(archived_at) as archived_at, archive_reason_code, parsed_data, moment(created_at) as created_at
from leads
where id = $1;
