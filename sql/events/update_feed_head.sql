-- Moves the head of the feed beyond every cursor it can have given out, after the database was restored from an
-- older state. Whoever holds a cursor from after the backup goes on with it: without this the feed would give the
-- same cursors to other events, and those would be skipped without a word. One row, or none where the head is
-- beyond 9,000,000,000,000,000 and no room is left.
-- Far more than any backup is behind: pruning closes a partition of 10,000,000 cursors at most at every run.
-- Waits for the sequencer's batch under way; events that wait for their cursor get one beyond the new head.
--
-- Uses feed_pkey.
prepare update_feed_head as
with advanced as (
  update feed
  set head = feed.head + 1000000000000
  where feed.only_row and feed.head < 9000000000000000
  returning feed.head
)
select advanced.head, make_events_partition(advanced.head + 1) as current_partition,
  make_events_partition(advanced.head + 1 + events_partition_width()) as next_partition
from advanced;
