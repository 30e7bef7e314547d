-- One page of the leads whose name, email or phone contains a text, newest first.
-- Case does not count; %, _ and \ are themselves.
--
-- $1 search            never null, no control characters
-- $2 status?           null: every status
-- $3 include_archived  false: only leads that are not archived
-- $4 row_limit
-- $5 row_offset
--
-- @planned once: how common the text is, by search_shares, decides within leads_with_text which way is taken.
-- @not_null id, status, created_at: of leads, whose rows a function returns
-- @replica answers
-- @uses leads_created_idx, leads_search_idx, leads_status_idx, search_shares_pkey
prepare search_leads (text, text, boolean, integer, integer) as
select id, name, email, phone, status, source_type, contacted_at, archived_at, archive_reason_code, parsed_data, created_at
from leads_with_text(search_form($1), $2, $3, $4, $5)
order by created_at desc, id desc;
