-- Takes the lock by which other processes see that this session lives. One row: false when another session holds it.
--
-- $1 lock_key
prepare claim_worker_lock (integer) as
select pg_try_advisory_lock(20230, $1) as locked;
