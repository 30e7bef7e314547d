-- Lets a paused subscription receive again: all that came since, or from the head on. Always one row.
--
-- $1 id
-- $2 from_head
--
-- @uses hook_subscriptions_pkey
prepare update_hook_reactivated (uuid, boolean) as
-- gap_after: after it GET /events gives what was not delivered; null: no paused subscription has this id.
select reactivate_hook($1, $2) as gap_after;
