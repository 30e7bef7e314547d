-- One page of leads, newest first, by any of three filters. A search finds the leads whose name, email or phone
-- contains its text; case does not count (search_form), and %, _ and \ are themselves.
--
-- $1 search?           null: every lead; no control characters
-- $2 status?           null: every status
-- $3 include_archived  false: only leads that are not archived
-- $4 row_limit
-- $5 row_offset
--
-- @planned with values: they decide which of the indexes is the right one
-- @replica answers
-- @uses leads_active_idx, leads_created_idx, leads_active_status_idx, leads_status_idx, leads_search_idx
prepare list_leads (text, text, boolean, integer, integer) as
select id, name, email, phone, status, source_type, contacted_at, archived_at, archive_reason_code,
  parsed_data, created_at
from leads
where ($1 is null or search_text like '%' || regexp_replace(search_form($1), '([\\%_])', '\\\1', 'g') || '%')
  and ($2 is null or status = $2)
  and ($3 or archived_at is null)
order by created_at desc, id desc
limit $4
offset $5;
