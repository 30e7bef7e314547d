-- Says that the sequencer sleeps now: the next writer wakes it with a notification. A row: it may sleep.
-- Not where two-phase commit is enabled: a transaction that notified can not be prepared, and the writers'
-- transactions are theirs to end as they like. There the sequencer keeps looking.
prepare update_feed_idle as
update feed
set idle = true
where current_setting('max_prepared_transactions') = '0'
returning head;
