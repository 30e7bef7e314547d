-- Gives the lease back at a stop, and wakes the processes that wait for it.
--
-- $1 worker
--
-- Reads the one row of leader.
prepare update_lease_ended (uuid) as
update leader
set worker = null, lease_until = '-infinity'
where leader.worker = $1
returning leader.fence, pg_notify('leader_left', '')::text as notified;
