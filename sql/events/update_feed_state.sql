-- Puts the state of the feed right after it was changed by hand or restored in part: the command `feed repair`. One row: what
-- was wrong, and the head. Writers wait until it is done; it reads the whole log.
prepare update_feed_state as
select array_to_json(repaired.mended)::text as mended, repaired.head
from repair_feed() as repaired;
