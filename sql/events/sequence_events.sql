-- Gives cursors to events that became visible and have none, oldest first; see the function of the same name. A row with
-- the state, as JSON, then a row for each event of a wanted type, in no order. While feed_watch says so, one notification
-- per batch, with the name of the process: it knows already.
-- An event that a long transaction commits later simply gets a later cursor.
--
-- $1 row_limit
-- $2 sequenced_limit how many events that have a cursor a look reads at most; the state says how far it came
-- $3 known_identity? the identity of the last state; another one, or null: begin at feed_floor
-- $4 after_log_id    see unsequenced_events
-- $5 after_cursor
-- $6 late            see feed_floor.late
-- $7 settling        the state is to have a transaction id even if nothing waits
-- $8 wanted_types    of which types to answer with bodies
-- $9 sequenced_by
--
-- @uses events_pkey, event_cursors_pkey
prepare sequence_events (integer, integer, text, bigint, bigint, jsonb, boolean, text[], text) as
select sequenced.cursor, sequenced.event_type, sequenced.event_id, sequenced.occurred_ms, sequenced.body, sequenced.state
from sequence_events($1, $2, $3, $4, $5, $6, $7, $8, $9) as sequenced;
