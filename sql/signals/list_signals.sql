-- One page of sales signals, latest detected first.
--
-- $1 status?     null: every status
-- $2 row_limit
-- $3 row_offset
--
-- @planned with values
-- @replica answers
-- @uses signals_detected_idx, signals_status_idx
prepare list_signals (text, integer, integer) as
select id, kind, title, status, score, lead_id, detected_at, updated_at
from signals
where ($1 is null or status = $1)
order by detected_at desc, id desc
limit $2
offset $3;
