-- How many workers run, by their leases: one that was killed counts until its lease ends, ten seconds at most. For the commands
-- `feed repair` and `feed advance`, after which a running worker would go on with what it knew.
--
-- Reads all of hook_workers, which has a row for each worker.
--
-- @not_null workers: a count
prepare count_live_workers as
select count(*)::integer as workers
from hook_workers
where hook_workers.lease_until > now();
