-- Records attempts with what follows from them: retries to come and retries that ended, failures, counts, and the pause
-- after the tenth final failure in a row. Attempts and deliveries that arrived are recorded for any worker; retries, failures
-- and counts only for the subscription's current one. A count is ignored when counting has started over. A row for each
-- subscription whose count was recorded; paused: by this count, and not before.
-- Fails with 40001, and records nothing, where something would follow from an attempt whose fence was raised while the statement
-- waited: run it again.
-- One that ended without an attempt (its event was erased) has the outcome "erased"; "postponed" gives a retry back untried.
--
-- $1 nos
-- $2 cursors
-- $3 fences
-- $4 started_at
-- $5 duration_ms
-- $6 attempts         number of the attempt
-- $7 statuses
-- $8 outcomes         delivered, retry, failed, erased or postponed
-- $9 error_classes
-- $10 excerpts
-- $11 headers         of answers that are no success
-- $12 retry_ms        of a retry: until it is due
-- $13 counted_nos     subscriptions whose count changed
-- $14 counts          consecutive failures now
-- $15 worker
--
-- @uses hook_positions_pkey, hook_subscriptions_pkey, hook_retries_pkey, hook_failures_pkey, erased_events_pkey
-- @adds hook_attempts_pkey
prepare record_attempts (integer[], bigint[], integer[], timestamptz[], integer[], integer[], integer[], text[], text[], text[], text[], integer[], integer[], integer[], uuid) as
with ended as materialized (
  select ended.no, ended.cursor, ended.fence, ended.started_at, ended.duration_ms, ended.attempt, ended.status, ended.outcome,
    ended.error_class, ended.excerpt, ended.headers, ended.retry_ms
  from unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    as ended (no, cursor, fence, started_at, duration_ms, attempt, status, outcome, error_class, excerpt, headers, retry_ms)
  where ended.cursor <> all (array(select erased_events.cursor from erased_events))
),
-- In the order of all who lock both.
locked as materialized (
  select hook_positions.no, hook_positions.fence, hook_positions.counted_from, hook_positions.worker, hook_subscriptions.id,
    hook_subscriptions.active
  from hook_subscriptions
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where hook_positions.no = any ($1)
  order by hook_positions.no
  for no key update
),
valid as materialized (
  select ended.no, ended.cursor, ended.attempt, ended.outcome, ended.retry_ms
  from ended
  join locked on locked.no = ended.no
  -- As it was before it was locked.
  join hook_positions as seen on seen.no = ended.no
  where case when seen.fence = locked.fence then true else refuse_old_snapshot() end
    and (locked.fence = ended.fence
    -- The owner changed it meanwhile. Two fences on another process may have had it.
    or locked.worker = $15 and locked.fence = ended.fence + 1 and not exists (
      -- Switched on without what was missed: there it counts as missed.
      select from hook_skips
      where hook_skips.no = ended.no and hook_skips.to_cursor >= ended.cursor and hook_skips.from_cursor < ended.cursor
        and hook_skips.reason = 'paused' and not hook_skips.catching_up)
    -- The fence was raised meanwhile: what arrived is neither due nor failed any more, unless it was taken anew.
    or ended.outcome = 'delivered' and not exists (
      select from hook_retries where hook_retries.no = ended.no and hook_retries.cursor = ended.cursor and hook_retries.taken_by > ended.fence))
    -- It expired while it was being sent. Where the row of feed is lost, nothing is known of that.
    and (ended.outcome = 'delivered' or ended.cursor not between 1 and coalesce((select feed_state.horizon from feed_state), 0))
),
attempted as (
  insert into hook_attempts (no, cursor, fence, started_at, duration_ms, attempt, status, outcome, error_class, excerpt, headers)
  select no, cursor, fence, started_at, duration_ms, attempt, status, left(outcome, 1)::"char", error_class, excerpt, headers
  from ended
  where outcome = any (array['delivered', 'retry', 'failed'])
),
waiting as (
  insert into hook_retries (no, cursor, attempts, due_at)
  -- The same row twice would refuse the batch, each time.
  select distinct on (no, cursor)
    no, cursor, case outcome when 'postponed' then attempt - 1 else attempt end as attempts, now() + retry_ms * interval '1 millisecond'
  from valid
  where outcome = any (array['retry', 'postponed'])
  order by no, cursor, attempts desc
  on conflict (no, cursor) do update set attempts = excluded.attempts, due_at = excluded.due_at, taken_by = null
),
settled as (
  delete from hook_retries
  using valid
  where hook_retries.no = valid.no and hook_retries.cursor = valid.cursor and valid.outcome <> all (array['retry', 'postponed'])
),
failed as (
  insert into hook_failures (no, cursor)
  select no, cursor
  from valid
  where outcome = 'failed'
  on conflict do nothing
),
-- Under way when the subscription was reactivated without what it missed.
arrived as (
  delete from hook_failures
  using valid
  where hook_failures.no = valid.no and hook_failures.cursor = valid.cursor and valid.outcome = any (array['delivered', 'retry'])
)
update hook_subscriptions
set consecutive_failures = counted.count,
  failing_since = case
    when counted.count = 0 then hook_subscriptions.failing_since
    -- A success among these, too: the count began anew behind it.
    when hook_subscriptions.consecutive_failures = 0
      or counted.no in (select ended.no from ended where ended.outcome = 'delivered' and ended.cursor > 0) then now()
    else hook_subscriptions.failing_since
  end,
  active = hook_subscriptions.active and counted.count < hook_failures_max(),
  paused_at = case when hook_subscriptions.active and counted.count >= hook_failures_max() then now() else hook_subscriptions.paused_at end
from unnest($13, $14) as counted (no, count)
join unnest($1, $3) as made (no, fence) on made.no = counted.no
join locked on locked.no = made.no
  and (locked.fence = made.fence or locked.worker = $15 and locked.counted_from <= made.fence)
where hook_subscriptions.id = locked.id
returning hook_subscriptions.id, hook_subscriptions.consecutive_failures, locked.active and not hook_subscriptions.active as paused;
