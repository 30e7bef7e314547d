-- One page of sales signals, latest detected first.
--
-- $1 status?        null: every status
-- $2 lead_id?       only signals of this lead; null: all
-- $3 kontakt_keys?  only signals under one of these keys; null: all
-- $4 row_limit
-- $5 row_offset
--
-- @planned with values
-- @replica answers
-- @uses signals_detected_idx, signals_status_idx, signals_lead_idx, signals_kontakt_idx
-- @not_null detected_at, updated_at: written from columns that are not null
prepare list_signals (text, uuid, text[], integer, integer) as
with listed as (
  select signals.id, signals.kind, signals.title, signals.status, signals.score, signals.lead_id, signals.detected_at,
    signals.updated_at
  from signals
  where ($1 is null or signals.status = $1)
    and ($2 is null or signals.lead_id = $2)
    and ($3 is null or signals.kontakt_key = any ($3))
  order by signals.detected_at desc, signals.id desc
  limit $4
  offset $5
)
select listed.id, listed.kind, listed.title, listed.status, listed.score, listed.lead_id,
  moment(listed.detected_at) as detected_at, moment(listed.updated_at) as updated_at
from listed
order by listed.detected_at desc, listed.id desc;
