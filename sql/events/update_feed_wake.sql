-- Says whether writers wake the sequencer with a notification at every commit. One row: whether they do now.
-- Not where two-phase commit is enabled: a transaction that notified cannot be prepared, and the writers' transactions are
-- theirs to end as they like. There the sequencer keeps looking.
--
-- $1 wake
prepare update_feed_wake (boolean) as
select setval('feed_wake', allowed.wake::integer) = 1 as wake
from (select $1 is true and current_setting('max_prepared_transactions') = '0' as wake) as allowed;
