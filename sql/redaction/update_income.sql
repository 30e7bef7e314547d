-- Applies the income rule to the next rows of a table; see redact_batch. last_key: of these rows; null: there were
-- none.
--
-- $1 table_name
-- $2 after_key?  null: from the first row
-- $3 row_limit
--
-- @uses leads_pkey, lead_analyses_pkey, haushalte_pkey, meeting_intelligence_pkey, appointments_pkey, signals_pkey
-- @uses advisory_docs_pkey, events_pkey
-- @not_null seen, changed
prepare update_income (text, text, integer) as
select batch.last_key, batch.seen, batch.changed
from redact_batch($1, $2, $3) as batch;
