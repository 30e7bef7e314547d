-- Remembers how far the log is settled, for the next process that sequences. Never moves back.
--
-- $1 log_id
-- $2 cursor
-- $3 late     see feed_floor.late
-- $4 identity of the database that this is true of: after a failover it may be another one that answers
--
-- @uses feed_floor_pkey
prepare update_feed_floor (bigint, bigint, jsonb, text) as
update feed_floor
set log_id = $1, cursor = $2, late = $3
where feed_floor.only_row and feed_floor.log_id <= $1 and database_identity() = $4;
