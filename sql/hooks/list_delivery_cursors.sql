-- Cursors of the deliveries of one subscription in one state, the newest event first, for the owner. pending are those that wait for their
-- moment: what waits for its turn has no row of its own. skipped are the events of ranges that are not caught up with, but
-- for those that arrived before the range was made, or since.
--
-- $1 subscription_id
-- $2 state            delivered, failed, pending or skipped
-- $3 before?          only those of events before it: a cursor; null: from the newest
-- $4 row_limit
--
-- @uses hook_attempts_pkey, hook_retries_pkey, hook_failures_pkey, hook_skips_pkey, event_cursors_type_idx
-- @not_null cursor: of the delivery itself
prepare list_delivery_cursors (uuid, text, bigint, integer) as
with subscription as (
  select hook_positions.no, hook_subscriptions.event_types
  from hook_subscriptions
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where hook_subscriptions.id = $1
),
found as (
  (select distinct on (hook_attempts.cursor) hook_attempts.cursor
  from hook_attempts
  where $2 = 'delivered' and hook_attempts.no = (select subscription.no from subscription)
    and hook_attempts.cursor < coalesce($3, 9223372036854775807) and hook_attempts.outcome = 'd'
    and (select true from hook_retries where hook_retries.no = hook_attempts.no and hook_retries.cursor = hook_attempts.cursor) is not true
    and (select true from hook_failures where hook_failures.no = hook_attempts.no and hook_failures.cursor = hook_attempts.cursor) is not true
  order by hook_attempts.cursor desc
  limit $4)
  union all
  (select hook_failures.cursor
  from hook_failures
  where $2 = 'failed' and hook_failures.no = (select subscription.no from subscription)
    and hook_failures.cursor < coalesce($3, 9223372036854775807)
  order by hook_failures.cursor desc
  limit $4)
  union all
  (select hook_retries.cursor
  from hook_retries
  where $2 = 'pending' and hook_retries.no = (select subscription.no from subscription)
    and hook_retries.cursor < coalesce($3, 9223372036854775807)
  order by hook_retries.cursor desc
  limit $4)
  union all
  (select of_type.cursor
  from subscription
  join hook_skips on hook_skips.no = subscription.no and not hook_skips.catching_up
  cross join unnest(subscription.event_types) as wanted (event_type)
  cross join lateral (
    select event_cursors.cursor
    from event_cursors
    where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, hook_skips.from_cursor)
      and (event_cursors.event_type, event_cursors.cursor) <= (wanted.event_type, least(hook_skips.to_cursor, $3 - 1))
      and (select true from hook_retries where hook_retries.no = subscription.no and hook_retries.cursor = event_cursors.cursor) is not true
      and (select true from hook_failures where hook_failures.no = subscription.no and hook_failures.cursor = event_cursors.cursor) is not true
      and (
        select true from hook_attempts
        where hook_attempts.no = subscription.no and hook_attempts.cursor = event_cursors.cursor and hook_attempts.outcome = 'd'
          -- In partitions since the event came, by the clock of another machine.
          and hook_attempts.started_at >= event_cursors.sequenced_at - interval '1 minute'
        limit 1
      ) is not true
    order by event_cursors.event_type desc, event_cursors.cursor desc
    limit $4
  ) as of_type
  where $2 = 'skipped'
  order by of_type.cursor desc
  limit $4)
)
select found.cursor
from found
order by found.cursor desc;
