-- Makes the partitions that the next events, cursors and attempts need, ahead of time. One row.
prepare prepare_partitions as
select make_feed_partitions()::text as feed, make_attempt_partitions(now())::text as attempts;
