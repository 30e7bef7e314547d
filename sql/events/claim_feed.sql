-- Takes the right to give out cursors until the transaction ends. No row: another process has it and works.
--
-- Reads feed, one row.
prepare claim_feed as
select head
from feed
for update skip locked;
