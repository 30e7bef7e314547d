-- One page of appointments, latest start first.
--
-- $1 status?     null: every status
-- $2 starts_from? only appointments that start at this moment or later; null: all
-- $3 row_limit
-- $4 row_offset
--
-- @planned with values
-- @replica answers
-- @uses appointments_starts_idx, appointments_status_idx
prepare list_appointments (text, timestamptz, integer, integer) as
select id, title, status, platform, meeting_url, starts_at, ends_at, customer_display_name, source, intelligence_status, created_at
from appointments
where ($1 is null or status = $1)
  and ($2 is null or starts_at >= $2)
order by starts_at desc, id desc
limit $3
offset $4;
