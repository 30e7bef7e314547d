-- Says whether the sequencer sleeps: then the next writer wakes it with a notification. One row: whether it may.
-- Not where two-phase commit is enabled: a transaction that notified cannot be prepared, and the writers'
-- transactions are theirs to end as they like. There the sequencer keeps looking.
prepare update_feed_idle as
with allowed as (
  select current_setting('max_prepared_transactions') = '0' as idle
),
changed as (
  update feed
  set idle = allowed.idle
  from allowed
  where feed.idle <> allowed.idle
  returning feed.idle
)
select allowed.idle
from allowed;
