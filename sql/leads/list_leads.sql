-- One page of leads by a filter, newest first. Without any, as most ask, it is list_active_leads; with a search, search_leads.
--
-- $1 status?           null: every status
-- $2 include_archived  false: only leads that are not archived
-- $3 row_limit
-- $4 row_offset
--
-- @replica answers
-- @uses leads_active_idx, leads_created_idx, leads_active_status_idx, leads_status_idx: one for each of the four filters
prepare list_leads (text, boolean, integer, integer) as
select id, name, email, phone, status, source_type, contacted_at, archived_at, archive_reason_code, parsed_data, created_at
from leads
where ($1 is null or status = $1)
  and ($2 or archived_at is null)
order by created_at desc, id desc
limit $3
offset $4;
