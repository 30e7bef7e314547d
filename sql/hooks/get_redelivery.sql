-- How far it is with what the owner sent again, one or several, the last time; none where there was nothing within a day.
-- What neither waits nor failed has not arrived for that: it may be dismissed, erased or expired by now.
--
-- $1 subscription_id
--
-- @uses hook_positions_subscription_id_key, hook_redeliveries_pkey, hook_retries_pkey, hook_failures_pkey, hook_attempts_pkey
-- @not_null deliveries, waiting, failed, delivered: counts
prepare get_redelivery (uuid) as
select hook_redeliveries.created_at, cardinality(hook_redeliveries.cursors) as deliveries,
  (count(*) filter (where found.waiting is not null))::integer as waiting, (count(*) filter (where found.failed is not null))::integer as failed,
  (count(*) filter (where found.waiting is null and found.failed is null and found.arrived))::integer as delivered
from hook_positions
join hook_redeliveries on hook_redeliveries.no = hook_positions.no
cross join unnest(hook_redeliveries.cursors) as sent (cursor)
-- A look for each, whatever the statistics say: a moment ago there was none of them.
cross join lateral (
  select
    (select hook_retries.cursor from hook_retries where hook_retries.no = hook_redeliveries.no and hook_retries.cursor = sent.cursor) as waiting,
    (select hook_failures.cursor from hook_failures where hook_failures.no = hook_redeliveries.no and hook_failures.cursor = sent.cursor) as failed,
    exists (
      select from hook_attempts
      where hook_attempts.no = hook_redeliveries.no and hook_attempts.cursor = sent.cursor and hook_attempts.outcome = 'd'
        -- By the clock of another machine.
        and hook_attempts.started_at >= hook_redeliveries.created_at - interval '1 minute') as arrived
) as found
where hook_positions.subscription_id = $1
group by hook_redeliveries.no;
