-- Stores how far the log is settled, for the next process that sequences. Never moves back.
--
-- $1 log_floor
-- $2 late      see feed.late
-- $3 identity  of the database that this is true of: after a failover it may be another one that answers
--
-- @uses feed_pkey
prepare update_feed_floor (bigint, jsonb, text) as
update feed
set log_floor = $1, late = $2
where feed.only_row and feed.log_floor <= $1 and database_identity() = $3;
