-- Deliveries of one subscription that match a filter, for the owner: one row per state, with how many there are and the
-- newest of them. Of each state so many records are looked at, the newest first, along its primary key; cut_at is the
-- cursor down to which that went, null where it was enough.
--
-- $1 subscription_id
-- $2 state?        null: every state
-- $3 event_types?
-- $4 reason?       pattern of a status or of an error class, of the last attempt: 4__
-- $5 since?        when the event got its cursor
-- $6 until?
-- $7 cursors?      of these events alone
-- $8 before?       a cursor; null: from the newest
-- $9 scan_max      records of each state
-- $10 row_limit    cursors of each state
--
-- @uses hook_attempts_pkey, hook_retries_pkey, hook_failures_pkey, hook_skips_pkey, event_cursors_type_idx, event_cursors_pkey
-- @not_null state, deliveries: of a list of states, and a count
-- @not_null cursors: empty, not null
prepare list_matching_deliveries (uuid, text, text[], text, timestamptz, timestamptz, bigint[], bigint, integer, integer) as
with subscription as (
  select hook_positions.no, hook_subscriptions.event_types,
    case when $5 is null then -9223372036854775808 else cursor_at($5) end as after,
    least($8 - 1, case when $6 is null then 9223372036854775807 else cursor_at($6) end) as up_to
  from hook_subscriptions join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where hook_subscriptions.id = $1
),
scanned as (
  (select 'delivered' as state, hook_attempts.cursor, hook_attempts.outcome = 'd' as counts,
    coalesce(hook_attempts.status::text, hook_attempts.error_class) as reason
  from hook_attempts
  where ($2 is null or $2 = 'delivered') and hook_attempts.no = (select subscription.no from subscription)
    and hook_attempts.cursor > (select subscription.after from subscription) and hook_attempts.cursor <= (select subscription.up_to from subscription)
    and hook_attempts.started_at >= coalesce($5 - interval '1 minute', '-infinity') and ($7 is null or hook_attempts.cursor = any ($7))
  order by hook_attempts.cursor desc limit $9)
  union all
  (select 'failed', hook_failures.cursor, true, null
  from hook_failures
  where ($2 is null or $2 = 'failed') and hook_failures.no = (select subscription.no from subscription) and ($7 is null or hook_failures.cursor = any ($7))
    and hook_failures.cursor > (select subscription.after from subscription) and hook_failures.cursor <= (select subscription.up_to from subscription)
  order by hook_failures.cursor desc limit $9)
  union all
  (select 'pending', hook_retries.cursor, true, null
  from hook_retries
  where ($2 is null or $2 = 'pending') and hook_retries.no = (select subscription.no from subscription) and ($7 is null or hook_retries.cursor = any ($7))
    and hook_retries.cursor > (select subscription.after from subscription) and hook_retries.cursor <= (select subscription.up_to from subscription)
  order by hook_retries.cursor desc limit $9)
  union all
  -- Nothing here has a reason.
  (select 'skipped', of_type.cursor, $7 is null or of_type.cursor = any ($7), null
  from subscription
  join hook_skips on hook_skips.no = subscription.no and not hook_skips.catching_up
  cross join unnest(subscription.event_types) as wanted (event_type)
  cross join lateral (
    select event_cursors.cursor from event_cursors
    where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, greatest(hook_skips.from_cursor, subscription.after))
      and (event_cursors.event_type, event_cursors.cursor) <= (wanted.event_type, least(hook_skips.to_cursor, subscription.up_to))
    order by event_cursors.event_type desc, event_cursors.cursor desc
    limit $9
  ) as of_type
  where ($2 is null or $2 = 'skipped') and $4 is null and ($3 is null or wanted.event_type = any ($3))
  order by of_type.cursor desc limit $9)
),
cut as (
  select scanned.state, min(scanned.cursor) as cursor from scanned group by scanned.state having count(*) = $9
),
of_types as (
  select event_cursors.cursor
  from event_cursors
  where $3 is not null and event_cursors.cursor = any (array(select scanned.cursor from scanned)) and event_cursors.event_type = any ($3)
),
last as (
  select distinct on (hook_attempts.cursor) hook_attempts.cursor, coalesce(hook_attempts.status::text, hook_attempts.error_class) as reason
  from hook_attempts
  where $4 is not null and hook_attempts.no = (select subscription.no from subscription)
    and hook_attempts.cursor = any (array(select scanned.cursor from scanned where scanned.state = any (array['failed', 'pending'])))
    and hook_attempts.started_at >= coalesce($5 - interval '1 minute', '-infinity')
  order by hook_attempts.cursor, hook_attempts.started_at desc
),
matching as (
  select distinct scanned.state, scanned.cursor
  from scanned
  left join cut on cut.state = scanned.state
  where scanned.counts and scanned.cursor > coalesce(cut.cursor, -9223372036854775808)
    and (scanned.state <> all (array['delivered', 'skipped'])
      or (select true from hook_retries where hook_retries.no = (select subscription.no from subscription) and hook_retries.cursor = scanned.cursor) is not true
      and (select true from hook_failures where hook_failures.no = (select subscription.no from subscription) and hook_failures.cursor = scanned.cursor) is not true)
    -- What arrived before its range was made, or since, is not missed.
    and (scanned.state <> 'skipped' or scanned.cursor not in (
      select hook_attempts.cursor from hook_attempts
      where hook_attempts.no = (select subscription.no from subscription) and hook_attempts.outcome = 'd'
        and hook_attempts.cursor = any (array(select scanned.cursor from scanned where scanned.state = 'skipped'))))
    and ($3 is null or scanned.cursor in (select of_types.cursor from of_types))
    -- What was delivered has its reason; of all others the last attempt has it.
    and ($4 is null or scanned.reason like $4 or scanned.reason is null and scanned.cursor in (select last.cursor from last where last.reason like $4))
)
select named.state, count(matching.cursor)::integer as deliveries, max(cut.cursor) as cut_at,
  coalesce(to_jsonb((array_agg(matching.cursor order by matching.cursor desc) filter (where matching.cursor is not null))[1:$10]), '[]') as cursors
from unnest(array['failed', 'pending', 'skipped', 'delivered']) as named (state)
left join cut on cut.state = named.state
left join matching on matching.state = named.state
group by named.state;
