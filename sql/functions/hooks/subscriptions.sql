-- What follows when a subscription is made, changed or deleted; how many there may be.

-- The leader starts again from the row. A recording writes position and count under the version that it knows.
create or replace function raise_subscription_version() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.version := old.version + 1;
  if new.replayed_version is distinct from old.replayed_version then
    new.replayed_version := new.version;
  end if;
  if not new.active then
    new.paused_at := coalesce(new.paused_at, now());
  elsif not old.active then
    new.paused_at := null;
    new.pause_reason := null;
    new.consecutive_failures := 0;
  end if;
  return new;
end
$$;

-- The row of a deleted one stays for the report of an erasure, and so do its attempts; what waits for it goes. A row
-- that goes, by hand too, takes all along.
create or replace function drop_deliveries() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from hook_outstanding where subscription_id = old.id;
  if tg_op = 'DELETE' then
    delete from hook_attempts where subscription_id = old.id;
  end if;
  return null;
end
$$;

-- In the transaction that records the failure, so that no crash forgets a notice.
create or replace function note_hook_failures() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into owner_notices (subscription_id, failures)
  select new.id, reached.failures
  from unnest(array[5, 8, hook_failures_max()]) as reached (failures)
  where new.consecutive_failures >= reached.failures and old.consecutive_failures < reached.failures;
  return null;
end
$$;

-- A count alone would let two at once both take the last place. A transaction that asks waits until the one before has
-- committed, and then counts anew: every statement of a volatile function sees what is committed by then.
create or replace function hooks_below_max(subscriptions_max integer) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  perform take_lock('hook_subscriptions');
  return (select count(*) < subscriptions_max from hook_subscriptions where deleted_at is null);
end
$$;
comment on function hooks_below_max is
  'Whether one more subscription may be inserted by this transaction; others that ask wait until it ends.';

create or replace function hook_failures_max() returns integer
  language sql immutable parallel safe
  return 10;
comment on function hook_failures_max is 'How many final failures in a row pause a subscription.';
revoke execute on function drop_deliveries, note_hook_failures, hooks_below_max from public;
