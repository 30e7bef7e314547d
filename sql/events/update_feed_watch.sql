-- Has the sequencer notify of every batch for another 15 seconds. A notification wakes every session of the database that
-- listens, so there is none while no stream is open and no second process delivers.
prepare update_feed_watch as
select setval('feed_watch', greatest(feed_watch.last_value, extract(epoch from now())::bigint + 15)) as watched_to
from feed_watch;
