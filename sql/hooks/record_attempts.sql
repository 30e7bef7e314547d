-- Records a batch of the leader, see the function of the same name: attempts, what is outstanding, positions, counts.
-- No row: another process leads, or this is another database, and only attempts were written.
--
-- $1 fence      of the lease under which the batch was sent
-- $2 identity   of the database that gave the lease
-- $3 attempts   [{subscription_id, cursor, started_at, version, duration_ms, attempt, status, outcome, error_class,
--               excerpt, headers, retry_ms}]
-- $4 positions  {subscription_id: {cursor, version}}
--
-- @uses leader_pkey, hook_subscriptions_pkey, hook_attempts_pkey, hook_outstanding_pkey
-- @not_null held, paused
prepare record_attempts (integer, text, jsonb, jsonb) as
select recorded.subscription_id, recorded.held, recorded.version, recorded.paused
from record_attempts($1, $2, $3, $4) as recorded;
