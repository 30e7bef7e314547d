-- Sends everything after a cursor again, or since a moment. reached: how far the subscription was; null: there is none
-- with this id. Refused where after is below lowest, the horizon of the feed, or beyond reached.
--
-- $1 id
-- $2 after?
-- $3 since?  where after is null: after the last cursor given out before it
--
-- @uses hook_subscriptions_pkey
prepare update_hook_replayed (uuid, bigint, timestamptz) as
select replayed.reached, replayed.lowest, asked.after
from (select coalesce($2, cursor_at($3)) as after) as asked
cross join lateral replay_hook($1, asked.after) as replayed;
