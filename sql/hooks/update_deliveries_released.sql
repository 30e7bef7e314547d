-- Gives back, unsent, all that was taken under a claim: its answer was lost on the way to the process.
--
-- $1 claim
--
-- Uses hook_deliveries_pending_idx: reads all that is pending (0.25 s for 1,000,000), and runs when a connection was lost.
prepare update_deliveries_released (uuid) as
update hook_deliveries
set claim = null, claimed_until = null
where hook_deliveries.state = 'pending' and hook_deliveries.claim = $1;
