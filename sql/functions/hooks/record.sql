-- What ended is recorded here and nowhere else: attempts, what is outstanding, positions, the run of final failures.
--
-- @needs hooks/subscriptions, feed/advance

create or replace function has_event(cursor bigint) returns boolean
  language sql stable
  return exists (
    select from event_cursors
    join events on events.log_id = event_cursors.log_id
    where event_cursors.cursor = has_event.cursor);
comment on function has_event is 'Whether the event at a cursor is there: it was neither erased nor has it expired.';

-- A batch whose answer was lost comes twice: what was there already is not returned, and counts no second time. The
-- receiver's words are left out where the event is gone: an erasure may have taken it.
create or replace function insert_attempts(ended ended_attempt[]) returns setof ended_attempt
  language sql volatile
begin atomic
  with stored as (
    insert into hook_attempts (subscription_id, cursor, started_at, version, duration_ms, attempt, status, outcome,
      error_class, excerpt, headers)
    select one.subscription_id, one.cursor, one.started_at, one.version, one.duration_ms, one.attempt, one.status,
      one.outcome, one.error_class,
      case when one.excerpt is not null and has_event(one.cursor) then one.excerpt end,
      case when one.headers is not null and has_event(one.cursor) then one.headers end
    from unnest(ended) as one
    join hook_subscriptions on hook_subscriptions.id = one.subscription_id
    on conflict do nothing
    returning subscription_id, cursor, started_at
  )
  select one.*
  from unnest(ended) as one
  join stored on stored.subscription_id = one.subscription_id and stored.cursor = one.cursor
    and stored.started_at = one.started_at;
end;
comment on function insert_attempts is 'Called by record_attempts: the attempts that were not there yet.';

-- Along the attempts in the order in which they ended. A run that has reached ten stays there.
create or replace function count_failures(before integer, ended ended_attempt[]) returns integer
  language plpgsql immutable as $$
declare
  failures integer := before;
  one ended_attempt;
begin
  foreach one in array ended loop
    exit when failures >= hook_failures_max();
    failures := case one.outcome when 'd' then 0 when 'f' then failures + 1 else failures end;
  end loop;
  return failures;
end
$$;
comment on function count_failures is 'Called by record_attempts: final failures in a row after these attempts.';

-- A row is changed only where it has the attempts that this one was sent with. Nothing is left to wait where the
-- subscription was deleted, the event is gone, or a replay that came meanwhile sends it again.
create or replace function store_outstanding(ended ended_attempt[]) returns void
  language plpgsql set search_path = public, pg_temp as $$
begin
  delete from hook_outstanding
  using unnest(ended) as one
  where one.outcome = 'd' and hook_outstanding.subscription_id = one.subscription_id
    and hook_outstanding.cursor = one.cursor and hook_outstanding.attempts = one.attempt - 1;
  insert into hook_outstanding (subscription_id, cursor, attempts, due_at)
  select one.subscription_id, one.cursor, one.attempt,
    case one.outcome when 'r' then now() + one.retry_ms * interval '1 millisecond' end
  from unnest(ended) as one
  join hook_subscriptions on hook_subscriptions.id = one.subscription_id and hook_subscriptions.deleted_at is null
  where one.outcome <> 'd' and has_event(one.cursor)
    and (one.version >= coalesce(hook_subscriptions.replayed_version, 0) or one.cursor <= hook_subscriptions.cursor)
  on conflict (subscription_id, cursor) do update
    set attempts = excluded.attempts, due_at = excluded.due_at
    where hook_outstanding.attempts = excluded.attempts - 1;
end
$$;
comment on function store_outstanding is
  'Called by record_attempts: what was delivered is outstanding no more, what failed is.';

-- Under the version that is known alone: the owner's changes win.
create or replace function store_progress(locked uuid[], ended ended_attempt[], positions jsonb)
  returns table (subscription_id uuid, version integer, paused boolean)
  language sql volatile
begin atomic
  update hook_subscriptions
  set cursor = greatest(hook_subscriptions.cursor, known.cursor),
    consecutive_failures = known.failures,
    failing_since = case when hook_subscriptions.consecutive_failures = 0 and known.failures > 0 then now()
      else hook_subscriptions.failing_since end,
    active = known.active and known.failures < hook_failures_max(),
    paused_at = case when known.active and known.failures >= hook_failures_max() then now()
      else hook_subscriptions.paused_at end,
    version = hook_subscriptions.version
      + (known.active and known.failures >= hook_failures_max())::integer
  from (
    select subscription.id, subscription.active,
      case when (positions -> subscription.id::text ->> 'version')::integer = subscription.version
        then (positions -> subscription.id::text ->> 'cursor')::bigint end as cursor,
      case when subscription.active then count_failures(subscription.consecutive_failures, array(
          select one from unnest(ended) as one
          where one.subscription_id = subscription.id and one.version = subscription.version
          order by one.started_at + one.duration_ms * interval '1 millisecond', one.cursor))
        else subscription.consecutive_failures end as failures
    from hook_subscriptions as subscription
    where subscription.id = any (locked)
  ) as known
  where hook_subscriptions.id = known.id
  returning hook_subscriptions.id, hook_subscriptions.version, hook_subscriptions.paused_at is not distinct from now();
end;
comment on function store_progress is
  'Called by record_attempts: counts final failures, pauses at the tenth, moves positions.';

-- One batch of the leader: one round trip, and no transaction is open between two of them. The lock on the leader's row
-- comes first: a process that takes over waits for this batch, and one that was replaced writes attempts alone. So does
-- one that knows more than a standby that was promoted: a position from before would pass over retries that are lost. A
-- subscription whose row is locked, such as by hand, is held back with all its attempts and comes with the next batch.
create or replace function record_attempts(leader_fence integer, identity text, attempts jsonb, positions jsonb)
  returns table (subscription_id uuid, held boolean, version integer, paused boolean)
  language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  ended ended_attempt[] := array(select one from jsonb_populate_recordset(null::ended_attempt, attempts) as one);
  wanted uuid[];
  locked uuid[];
begin
  -- The trigger that raises versions leaves these changes alone.
  perform set_config('app.recording', 'on', true);
  perform from leader
    where leader.fence = leader_fence and database_identity() = record_attempts.identity for key share;
  if not found then
    perform insert_attempts(ended), set_config('app.recording', '', true);
    return;
  end if;
  wanted := array(
    select hook_subscriptions.id
    from hook_subscriptions
    left join (
      select one.subscription_id, bool_or(one.outcome = 'f') as failed, bool_or(one.outcome = 'd') as delivered
      from unnest(ended) as one group by one.subscription_id
    ) as outcome on outcome.subscription_id = hook_subscriptions.id
    where positions ? hook_subscriptions.id::text or outcome.failed
      or outcome.delivered and hook_subscriptions.consecutive_failures > 0);
  locked := array(
    select hook_subscriptions.id from hook_subscriptions where hook_subscriptions.id = any (wanted)
    order by hook_subscriptions.id for no key update skip locked);
  ended := array(
    select inserted from insert_attempts(array(
      select one from unnest(ended) as one
      where one.subscription_id <> all (wanted) or one.subscription_id = any (locked))) as inserted);
  perform store_outstanding(ended);
  return query
    select stored.subscription_id, false, stored.version, stored.paused
    from store_progress(locked, ended, positions) as stored
    union all
    select unnest, true, null, false from unnest(wanted) where unnest <> all (locked)
    union all
    select null, false, null, false;
  perform set_config('app.recording', '', true);
end
$$;
comment on function record_attempts is
  'Records a batch. A row for each subscription that was written or held back, and one without an id at the end; no '
  'row: another process leads, or it is another database.';
revoke execute on function record_attempts from public;
