-- One page of appointments, latest start first.
--
-- $1 status?     null: every status
-- $2 lead_id?    only appointments with this lead; null: all
-- $3 starts_from? only appointments that start at this moment or later; null: all
-- $4 starts_to?  only appointments that start before this moment; null: all
-- $5 row_limit
-- $6 row_offset
--
-- @planned with values
-- @replica answers
-- @uses appointments_starts_idx, appointments_status_idx, appointments_lead_idx
-- @not_null starts_at, created_at: written from columns that are not null
prepare list_appointments (text, uuid, timestamptz, timestamptz, integer, integer) as
with listed as (
  select appointments.id, appointments.title, appointments.status, appointments.platform, appointments.meeting_url,
    appointments.starts_at, appointments.ends_at, appointments.customer_display_name, appointments.source,
    appointments.intelligence_status, appointments.created_at
  from appointments
  where ($1 is null or appointments.status = $1)
    and ($2 is null or appointments.lead_id = $2)
    and ($3 is null or appointments.starts_at >= $3)
    and ($4 is null or appointments.starts_at < $4)
  order by appointments.starts_at desc, appointments.id desc
  limit $5
  offset $6
)
select listed.id, listed.title, listed.status, listed.platform, listed.meeting_url,
  moment(listed.starts_at) as starts_at, moment(listed.ends_at) as ends_at, listed.customer_display_name, listed.source,
  listed.intelligence_status, moment(listed.created_at) as created_at
from listed
order by listed.starts_at desc, listed.id desc;
