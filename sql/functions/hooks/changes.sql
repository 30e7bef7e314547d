-- What the owner does with a subscription that needs more than one statement.
--
-- @needs feed/counts, feed/cursor_at, hooks/record

create or replace function delivered_up_to(subscription_id uuid, reached bigint) returns bigint
  language sql stable
  return greatest(
    (select feed_state.horizon from feed_state),
    least(reached, (
      select hook_outstanding.cursor - 1 from hook_outstanding
      where hook_outstanding.subscription_id = delivered_up_to.subscription_id
      order by hook_outstanding.cursor limit 1)));
comment on function delivered_up_to is
  'The cursor up to which everything was delivered: after it, GET /events misses nothing.';

-- With all that came meanwhile, or from the head on: then what waited counts as failed, and the answer has the cursor
-- after which GET /events gives the gap.
create or replace function reactivate_hook(subscription_id uuid, from_head boolean, out gap_after bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  found_row hook_subscriptions;
begin
  select * into found_row from hook_subscriptions
    where id = reactivate_hook.subscription_id and not active and deleted_at is null for update;
  if found_row.id is null then
    return;
  end if;
  gap_after := delivered_up_to(found_row.id, found_row.cursor);
  if from_head then
    update hook_outstanding set due_at = null
      where hook_outstanding.subscription_id = found_row.id and due_at is not null;
  end if;
  update hook_subscriptions
    set active = true,
      cursor = case when from_head then greatest(cursor, (select feed_state.head from feed_state)) else cursor end
    where id = found_row.id;
end
$$;
comment on function reactivate_hook is
  'Lets a paused subscription receive again. Null: no paused subscription has this id.';

-- The position moves back, and what was delivered above the new one before counts no more.
create or replace function replay_hook(subscription_id uuid, after bigint, out reached bigint, out lowest bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  select cursor into reached from hook_subscriptions
    where id = replay_hook.subscription_id and deleted_at is null for update;
  lowest := (select feed_state.horizon from feed_state);
  if after between lowest and reached then
    delete from hook_outstanding
      where hook_outstanding.subscription_id = replay_hook.subscription_id
        and hook_outstanding.cursor > replay_hook.after and hook_outstanding.cursor <= reached;
    update hook_subscriptions set cursor = after, replayed_version = version + 1 where id = replay_hook.subscription_id;
  end if;
end
$$;
comment on function replay_hook is
  'Sends everything after a cursor again. reached: the position before, null: there is no such subscription; refused '
  'below lowest, the horizon, and beyond the position.';

-- Only a delivery that has ended: it failed, or was delivered.
create or replace function redeliver(subscription_id uuid, cursors bigint[])
  returns table (cursor bigint, state text)
  language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  subscription hook_subscriptions;
begin
  select * into subscription from hook_subscriptions
    where id = redeliver.subscription_id and deleted_at is null for no key update;
  return query
  with asked as (
    select wanted.cursor,
      case when not has_event(wanted.cursor) then 'gone'
        when event_cursors.event_type <> all (subscription.event_types) then 'unlisted'
        when waiting.due_at is not null then 'waiting'
        when waiting.cursor is null and not exists (
          select from hook_attempts
          where hook_attempts.subscription_id = subscription.id and hook_attempts.cursor = wanted.cursor
            and hook_attempts.outcome = 'd') then 'not_sent'
        else 'sent' end as state
    from unnest(cursors) as wanted (cursor)
    left join event_cursors on event_cursors.cursor = wanted.cursor
    left join hook_outstanding as waiting
      on waiting.subscription_id = subscription.id and waiting.cursor = wanted.cursor
    where subscription.id is not null
  ), due as (
    insert into hook_outstanding (subscription_id, cursor, attempts, due_at)
    select subscription.id, asked.cursor, 0, now() from asked where asked.state = 'sent'
    on conflict (subscription_id, cursor) do update
      set attempts = 0, due_at = excluded.due_at where hook_outstanding.due_at is null
  )
  select asked.cursor, asked.state from asked;
  perform pg_notify('hooks_changed', '');
end
$$;
comment on function redeliver is
  'Sends deliveries that have ended again. state: sent; gone: the feed no longer holds the event; unlisted: its type '
  'is not wanted; waiting: an attempt is due already; not_sent: its turn is still to come, or it is from before the '
  'subscription. No row: no such subscription.';

-- Called by the transaction that deletes expired events. In the order of a recording, so that neither waits for the
-- other in a circle.
create or replace function expire_deliveries(horizon bigint) returns void
  language plpgsql set search_path = public, pg_temp as $$
declare
  subscription uuid;
begin
  perform from hook_subscriptions where cursor < expire_deliveries.horizon and deleted_at is null
    order by id for no key update;
  update hook_subscriptions
    set cursor = expire_deliveries.horizon,
      missed_from = case when missed.found then coalesce(missed_from, hook_subscriptions.cursor) else missed_from end,
      missed_to = case when missed.found then expire_deliveries.horizon else missed_to end
    from (
      select behind.id,
        count_events_at_most(behind.event_types, behind.cursor, expire_deliveries.horizon, 1) > 0 as found
      from hook_subscriptions as behind
      where behind.cursor < expire_deliveries.horizon and behind.deleted_at is null
    ) as missed
    where hook_subscriptions.id = missed.id;
  -- A look along the key for each: a join reads the whole table.
  for subscription in select id from hook_subscriptions loop
    delete from hook_outstanding where subscription_id = subscription and cursor <= expire_deliveries.horizon;
  end loop;
end
$$;
comment on function expire_deliveries is
  'Called by prune_events before it deletes cursors: positions below the horizon move there, and what is outstanding '
  'below it goes.';

-- In batches, like events: the caller asks again while it returns row_limit. Along the primary key, from the oldest
-- cursor of each subscription on, so that a batch reads little more than it deletes.
create or replace function prune_deliveries(row_limit integer) returns integer
  language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  horizon constant bigint := (select feed.horizon from feed);
  pruned integer;
begin
  delete from hook_attempts
    where ctid = any (array(
      select expired.place
      from hook_subscriptions
      cross join lateral (
        select hook_attempts.ctid as place
        from hook_attempts
        where hook_attempts.subscription_id = hook_subscriptions.id and hook_attempts.cursor <= horizon
        order by hook_attempts.cursor
        limit row_limit
      ) as expired
      limit row_limit));
  get diagnostics pruned = row_count;
  if pruned = row_limit then
    return pruned;
  end if;
  -- A recording that was under way may have left some, of a deleted subscription or of an expired event.
  delete from hook_outstanding
    where cursor <= horizon
      or subscription_id not in (select id from hook_subscriptions where deleted_at is null);
  -- Materialized: looked up once for each subscription, not for each of its rows.
  with kept as materialized (
    select hook_subscriptions.id, (
      select failed.cursor from hook_outstanding as failed
      where failed.subscription_id = hook_subscriptions.id and failed.due_at is null
        and failed.cursor <= hook_subscriptions.cursor
      order by failed.cursor desc offset 9999 limit 1) as lowest
    from hook_subscriptions
  )
  delete from hook_outstanding
    using kept
    where hook_outstanding.subscription_id = kept.id
      and hook_outstanding.due_at is null and hook_outstanding.cursor < kept.lowest;
  -- A clock that was ahead: the longest delay is a day and a fifth.
  update hook_outstanding set due_at = now() where due_at > now() + interval '2 days';
  -- As long as the feed has an event that it may have received.
  delete from hook_subscriptions
    where deleted_at is not null and cursor_at(deleted_at + interval '1 day') <= horizon;
  return pruned;
end
$$;
comment on function prune_deliveries is
  'Deletes attempts to deliver expired events, and when none is left also what else is outstanding too long: of '
  'expired events, of deleted subscriptions, and beyond the newest 10,000 failures of one. Returns how many attempts.';
revoke execute on function reactivate_hook, replay_hook, redeliver, prune_deliveries from public;
