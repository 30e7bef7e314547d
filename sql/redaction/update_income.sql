-- Applies the income rule to the next rows of a table; see redact_batch. seen, changed: since the run began.
--
-- $1 table_name
-- $2 row_limit
--
-- @uses leads_pkey, lead_analyses_pkey, haushalte_pkey, meeting_intelligence_pkey, appointments_pkey, signals_pkey
-- @uses advisory_docs_pkey, events_pkey
-- @not_null seen, changed, is_done
prepare update_income (text, integer) as
select batch.seen, batch.changed, batch.is_done
from redact_batch($1, $2) as batch;
