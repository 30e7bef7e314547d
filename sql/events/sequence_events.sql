-- Gives cursors to events that became visible and have none, oldest first, and notifies once; see the function of the
-- same name. A row with the state, as JSON, then a row for each event of a wanted type, in no order.
--
-- $1 row_limit
-- $2 known_identity? the identity of the last state; another one, or null: begin at the stored floor
-- $3 log_floor       where to look from; see src/feed/log_floor.ts
-- $4 late            see feed.late
-- $5 sleeping        whether the next writer is to wake the sequencer
-- $6 wanted_types    of which types to answer with bodies
--
-- @uses events_pkey, event_cursors_pkey, event_cursors_log_id_idx, event_cursors_type_idx
prepare sequence_events (integer, text, bigint, jsonb, boolean, text[]) as
select sequenced.cursor, sequenced.event_type, sequenced.event_id, sequenced.occurred_ms, sequenced.body,
  sequenced.state
from sequence_events($1, $2, $3, $4, $5, $6) as sequenced;
