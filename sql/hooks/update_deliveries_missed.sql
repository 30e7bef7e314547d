-- Puts all that an active subscription missed on its way: failures, and the ranges it was passed over for; see
-- deliver_missed. One row with how many, null: there is no such subscription, or it is paused.
--
-- $1 subscription_id
prepare update_deliveries_missed (uuid) as
select deliver_missed($1) as deliveries;
