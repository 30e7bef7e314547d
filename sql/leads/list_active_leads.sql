-- One page of the leads that are not archived, newest first: list_leads without a filter, as most ask for it.
-- Without filters one plan is good for all values, and planning was a fifth of this page's time in PostgreSQL.
--
-- $1 row_limit
-- $2 row_offset
--
-- @planned once
-- @replica answers
-- @uses leads_active_idx
prepare list_active_leads (integer, integer) as
select id, name, email, phone, status, source_type, contacted_at, archived_at, archive_reason_code, parsed_data, created_at
from leads
where archived_at is null
order by created_at desc, id desc
limit $1
offset $2;
