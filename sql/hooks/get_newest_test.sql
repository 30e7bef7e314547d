-- The newest test event of one subscription, by its cursor: these go down from 0. None where there is none.
--
-- $1 subscription_id
--
-- @uses hook_positions_subscription_id_key, hook_test_events_pkey
prepare get_newest_test (uuid) as
select hook_test_events.cursor
from hook_positions
join hook_test_events on hook_test_events.no = hook_positions.no
where hook_positions.subscription_id = $1
order by hook_test_events.cursor
limit 1;
