-- Whether an event has waited for its cursor for a minute: numbering fails, or no worker runs. One row.
--
-- @uses feed_pkey, events_pkey, event_cursors_log_id_idx
-- @not_null stuck: coalesce ends with false
prepare get_feed_check as
select coalesce(waiting.since < now() - interval '1 minute', false) as stuck
from count_unsequenced(1) as waiting;
