-- Makes the partitions that the next cursors need, ahead of time; names them.
prepare prepare_events_partitions as
select make_events_partition(feed.head + 1) as current_partition,
  make_events_partition(feed.head + 1 + events_partition_width()) as next_partition
from feed;
