-- One page of the leads whose name, email or phone contains a text, newest first.
-- Case does not count; %, _ and \ are themselves.
--
-- $1 search            never null, no control characters
-- $2 status            null: every status
-- $3 include_archived  false: only leads that are not archived
-- $4 row_limit
-- $5 row_offset
--
-- Uses leads_search_idx for a rare text, and walks leads_active_idx or leads_created_idx for a common one.
prepare search_leads (text, text, boolean, integer, integer) as
select id, name, email, phone, status, source_type, contacted_at, archived_at, archive_reason_code, parsed_data, created_at
from leads
where search_text like '%' || regexp_replace(search_form($1), '([\\%_])', '\\\1', 'g') || '%'
  and ($2 is null or status = $2)
  and ($3 or archived_at is null)
order by created_at desc, id desc
limit $4
offset $5;
