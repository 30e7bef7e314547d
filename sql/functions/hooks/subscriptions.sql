-- What follows when a subscription is made, changed or deleted; how many there may be, and how many failures pause one.

-- At the head that the insert sees: events that are committed later get a cursor above it.
create or replace function create_hook_position() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  made_no integer;
begin
  insert into hook_positions as position (subscription_id, cursor, claimed_to)
  select new.id, feed_state.head, feed_state.head from feed_state
  -- A subscription that was deleted, and put back: what was left for the report of an erasure is not to be sent.
  on conflict (subscription_id) do update
    set deleted_at = null, cursor = excluded.cursor, claimed_to = excluded.claimed_to, fence = position.fence + 1,
      counted_from = position.fence + 1
    returning position.no into made_no;
  delete from hook_retries where no = made_no;
  delete from hook_skips where no = made_no;
  return null;
end
$$;
revoke execute on function create_hook_position from public;

create or replace function leave_hook() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  left_no integer;
begin
  update hook_positions set deleted_at = now(), worker = null, fence = fence + 1
    where subscription_id = old.id
    returning no into left_no;
  -- What may have been sent stays for the report of an erasure, as long as the position.
  delete from hook_retries where no = left_no and taken_by is null;
  delete from hook_failures where no = left_no;
  delete from hook_skips where no = left_no and claimed_to <= from_cursor;
  return null;
end
$$;
revoke execute on function leave_hook from public;

-- Without one a subscription would stand still, and nothing would say so.
create or replace function refuse_position_loss() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  raise exception 'the position of a webhook is kept as long as the webhook: delete that one instead'
    using errcode = 'integrity_constraint_violation';
end
$$;

-- Workers keep their subscriptions in memory.
create or replace function notify_hooks_changed() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_notify('hooks_changed', '');
  return null;
end
$$;

-- A count alone would let two at once both take the last place. A transaction that asks waits until the one before has
-- committed, and then counts anew: every statement of a volatile function sees what is committed by then.
create or replace function hooks_below_max(subscriptions_max integer) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  perform take_lock('hook_subscriptions');
  return (select count(*) < subscriptions_max from hook_subscriptions);
end
$$;
revoke execute on function hooks_below_max from public;
comment on function hooks_below_max is 'Whether one more subscription may be inserted by this transaction; others that ask wait until it ends.';

create or replace function refuse_old_snapshot() returns boolean
  language plpgsql stable as $$
begin
  raise exception 'A subscription was changed while this waited for it: run it again' using errcode = 'serialization_failure';
end
$$;
comment on function refuse_old_snapshot is 'Fails with 40001: what a statement reads next to a row that it locked is from before the row was changed.';

create or replace function hook_failures_max() returns integer
  language sql immutable parallel safe
  return 10;
comment on function hook_failures_max is 'How many final failures in a row pause a subscription.';

-- In the transaction that records the failure, so that no crash forgets a notice. A count that began anew since the last one
-- has another beginning.
create or replace function note_hook_failures() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into owner_notices (subscription_id, failures)
  select new.id, reached.failures
  from unnest(array[5, 8, hook_failures_max()]) as reached (failures)
  where case when new.failing_since is not distinct from old.failing_since then old.consecutive_failures else 0 end < reached.failures
    and new.consecutive_failures >= reached.failures;
  return null;
end
$$;
revoke execute on function note_hook_failures from public;

-- Workers take retries under the fence of a subscription. Another fence makes them begin anew, with the retries that were taken
-- when it was paused and never started, and with a count of 0.
create or replace function raise_hook_fence() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update hook_positions set fence = fence + 1, counted_from = fence + 1 where subscription_id = new.id;
  return null;
end
$$;
revoke execute on function raise_hook_fence from public;

-- All that lets a subscription receive again forgets the reason.
create or replace function forget_pause_reason() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.pause_reason := null;
  return new;
end
$$;

-- A change of event types raises the fence, so the worker reloads. Added types count from now on: the position moves to the head
-- if no event of the old types is above it.
create or replace function follow_hook_types() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update hook_positions
  set fence = hook_positions.fence + 1, cursor = reached.cursor, claimed_to = greatest(hook_positions.claimed_to, reached.cursor)
  from (
    select before.no, case
      when count_events_at_most(old.event_types, before.cursor, 9223372036854775807, 1) = 0
        then greatest(before.cursor, (select feed_state.head from feed_state))
      else before.cursor end as cursor
    from hook_positions as before
    where before.subscription_id = new.id
    for update
  ) as reached
  where hook_positions.no = reached.no;
  return null;
end
$$;
revoke execute on function follow_hook_types from public;
