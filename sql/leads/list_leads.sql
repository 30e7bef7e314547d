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
-- @not_null created_at: written from columns that are not null
prepare list_leads (text, text, boolean, integer, integer) as
with listed as (
  select leads.id, leads.name, leads.email, leads.phone, leads.status, leads.source_type, leads.contacted_at,
    leads.archived_at, leads.archive_reason_code, leads.parsed_data, leads.created_at
  from leads
  where ($1 is null or leads.search_text like '%' || regexp_replace(search_form($1), '([\\%_])', '\\\1', 'g') || '%')
    and ($2 is null or leads.status = $2)
    and ($3 or leads.archived_at is null)
  order by leads.created_at desc, leads.id desc
  limit $4
  offset $5
)
-- Moments of the page alone are written, not those of the rows before it.
select listed.id, listed.name, listed.email, listed.phone, listed.status, listed.source_type,
  moment(listed.contacted_at) as contacted_at, moment(listed.archived_at) as archived_at, listed.archive_reason_code,
  listed.parsed_data, moment(listed.created_at) as created_at
from listed
order by listed.created_at desc, listed.id desc;
