-- Remembers how far the log is settled, for the next process that sequences. Never moves back.
--
-- $1 log_id
-- $2 cursor
-- $3 late    see feed_floor.late
--
-- @uses feed_floor_pkey
prepare update_feed_floor (bigint, bigint, jsonb) as
update feed_floor
set log_id = $1, cursor = $2, late = $3
where feed_floor.only_row and feed_floor.log_id <= $1;
