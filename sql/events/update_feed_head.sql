-- Moves the head of the feed beyond every cursor it can have given out. The sequencer does it by itself when it finds
-- itself in another database than before; this is for an older state of the very same database. One row.
-- Waits for the sequencer's batch under way; events that wait for their cursor get one beyond the new head.
-- Fails with 22003 where the head is beyond 9,000,000,000,000,000 and no room is left.
prepare update_feed_head as
select advance_feed() as head;
