-- What a subscription missed, and how it gets it.

create or replace function catch_up_cursor(subscription hook_subscriptions) returns bigint
  language sql stable
  return (select hook_backlogs.catch_up_cursor from hook_backlogs where hook_backlogs.subscription_id = subscription.id);
comment on function catch_up_cursor is 'The cursor after which GET /events gives everything the subscription has not received; null: nothing is missing.';

-- Of these types alone: what ended before others were taken away is none of the events it is subtracted from.
create or replace function count_ended(of_no integer, event_types text[], after_cursor bigint, up_to bigint) returns bigint
  language plpgsql stable set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return (
    select count(*)
    from (
      select hook_attempts.cursor from hook_attempts
      where hook_attempts.no = of_no and hook_attempts.cursor > after_cursor and hook_attempts.cursor <= up_to and hook_attempts.outcome = 'd'
      union
      select hook_failures.cursor from hook_failures
      where hook_failures.no = of_no and hook_failures.cursor > after_cursor and hook_failures.cursor <= up_to
      union
      select hook_retries.cursor from hook_retries
      where hook_retries.no = of_no and hook_retries.cursor > after_cursor and hook_retries.cursor <= up_to
    ) as ended
    join event_cursors on event_cursors.cursor = ended.cursor
    where event_cursors.event_type = any (event_types) and event_cursors.cursor > after_cursor and event_cursors.cursor <= up_to);
end
$$;
comment on function count_ended is 'How many events of these types in a range of cursors a subscription was delivered, failed at or waits for the moment of.';

create or replace function deliver_missed_of(wanted integer) returns bigint
  language plpgsql set search_path = public, pg_temp as $$
declare
  types constant text[] := (
    select hook_subscriptions.event_types
    from hook_subscriptions
    join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
    where hook_positions.no = wanted);
  is_started boolean;
  ranges bigint;
  failures bigint;
begin
  update hook_retries set attempts = 0, due_at = now(), created_at = now() where no = wanted;
  with started as (
    update hook_skips
    set catching_up = true,
      -- Some may have been sent again one by one since. One of those that failed is counted as a failure.
      events = least(hook_skips.events, count_events(types, hook_skips.from_cursor, hook_skips.to_cursor)
        - count_ended(wanted, types, hook_skips.from_cursor, hook_skips.to_cursor))
    where no = wanted and reason = 'paused' and not catching_up
    returning events
  )
  select count(*) > 0, coalesce(sum(started.events), 0) into is_started, ranges from started;
  -- How far an earlier one is says nothing of this one, also where none of it is remembered.
  delete from hook_redeliveries
  where no = wanted and (is_started or exists (select from hook_failures where hook_failures.no = wanted and hook_failures.cursor > 0));
  with ended as (
    -- A test event that failed is no loss.
    delete from hook_failures where no = wanted and cursor > 0 returning no, cursor
  ),
  -- One whose type was taken away since is dismissed.
  again as materialized (
    select ended.no, ended.cursor
    from ended
    where (select event_cursors.event_type from event_cursors where event_cursors.cursor = ended.cursor) = any (types)
  ),
  -- More would make the page slow that shows how far it is.
  remembered as (
    insert into hook_redeliveries (no, cursors)
    select again.no, array_agg(again.cursor) from again group by again.no having count(*) <= 10000
    on conflict (no) do update set cursors = excluded.cursors, created_at = excluded.created_at
  )
  insert into hook_retries (no, cursor) select no, cursor from again on conflict do nothing;
  get diagnostics failures = row_count;
  -- Also where their count is 0.
  update hook_positions set fence = fence + 1 where no = wanted and is_started;
  perform pg_notify('hooks_changed', '');
  return ranges + failures;
end
$$;
comment on function deliver_missed_of is 'Called by deliver_missed and reactivate_hook: puts all that a subscription missed on its way; how many.';

create or replace function deliver_missed(subscription_id uuid) returns bigint
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  wanted integer;
begin
  select hook_positions.no into wanted
  from hook_subscriptions
  join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
  where hook_subscriptions.id = deliver_missed.subscription_id and hook_subscriptions.active
  for update;
  return case when wanted is not null then deliver_missed_of(wanted) end;
end
$$;
comment on function deliver_missed is 'Puts all that an active subscription missed on its way, as far as the feed retains it; how many. Null: there is no such subscription, or it is paused.';
revoke execute on function deliver_missed from public;

-- Lets a paused subscription receive again. What came while it was paused becomes a range, which is delivered next to new
-- events or left out; failures and retries are sent again, or stay as failures. Left out, what was caught up with before stops too.
create or replace function reactivate_hook(subscription_id uuid, deliver_missed boolean) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  position hook_positions;
  types text[];
  head bigint;
begin
  update hook_subscriptions set active = true, paused_at = null, consecutive_failures = 0
    where hook_subscriptions.id = reactivate_hook.subscription_id and not hook_subscriptions.active
    returning hook_subscriptions.event_types into types;
  if types is null then
    return false;
  end if;
  select hook_positions.* into position from hook_positions
    where hook_positions.subscription_id = reactivate_hook.subscription_id for update;
  head := (select feed_state.head from feed_state);
  insert into hook_skips (no, from_cursor, to_cursor, claimed_to, reason, events, catching_up)
  select position.no, position.cursor, head, least(position.claimed_to, head), 'paused', counted.events, deliver_missed
  from (
    -- The position is up to a second old: what ended above it is not missed, or stands in hook_failures.
    select count_events(types, position.cursor, head) - count_ended(position.no, types, position.cursor, head) as events
  ) as counted
  where counted.events > 0
  on conflict (no, to_cursor) do update set from_cursor = excluded.from_cursor, reason = 'paused', events = excluded.events, catching_up = excluded.catching_up;
  -- The fence went up with the subscription's row, by raise_hook_fence.
  update hook_positions set cursor = head, claimed_to = head where hook_positions.no = position.no;
  if deliver_missed then
    perform deliver_missed_of(position.no);
  else
    update hook_skips
    set catching_up = false,
      events = count_events(types, hook_skips.from_cursor, hook_skips.to_cursor)
        - count_ended(position.no, types, hook_skips.from_cursor, hook_skips.to_cursor)
    where hook_skips.no = position.no and hook_skips.catching_up;
    delete from hook_skips where hook_skips.no = position.no and hook_skips.reason = 'paused' and hook_skips.events <= 0;
    insert into hook_failures (no, cursor)
    select hook_retries.no, hook_retries.cursor from hook_retries where hook_retries.no = position.no and hook_retries.cursor > 0
    on conflict do nothing;
    delete from hook_retries where hook_retries.no = position.no;
  end if;
  return true;
end
$$;
comment on function reactivate_hook is 'Lets a paused subscription receive again; false: it is not paused.';
revoke execute on function reactivate_hook from public;
