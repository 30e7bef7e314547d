-- Deliveries of a person's events: who received them, and how they go.

-- "offset 0" makes the planner look for each subscription and cursor, by the one index there is, whatever the statistics
-- of the partitions say. Of many events it decides by itself.
create or replace function attempts_of(cursors bigint[]) returns setof hook_attempts
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_bitmapscan = on as $$
begin
  if cardinality(cursors) > 500 then
    perform read_whole_tables(true);
    return query
      select hook_attempts.*
      from hook_positions
      cross join unnest(cursors) as erased (cursor)
      join hook_attempts on hook_attempts.no = hook_positions.no and hook_attempts.cursor = erased.cursor;
    return;
  end if;
  return query
    select made.*
    from hook_positions
    cross join unnest(cursors) as erased (cursor)
    cross join lateral (
      select hook_attempts.*
      from hook_attempts
      where hook_attempts.no = hook_positions.no and hook_attempts.cursor = erased.cursor
      offset 0
    ) as made;
end
$$;
comment on function attempts_of is 'The attempts to deliver these events.';

-- Where the worker of a subscription may have sent without recording an attempt: beyond its position, in a range it
-- catches up with, and what it took of hook_retries. A subscription that was paused or deleted gets nothing that is
-- younger; its worker hears of it at the latest when its lease ends. Of a deleted one the event types are not known.
create or replace function unrecorded_deliveries(cursors bigint[]) returns table (no integer, cursor bigint, retried boolean)
  language sql stable
begin atomic
  with erased as (
    select event_cursors.cursor, event_cursors.event_type, event_cursors.sequenced_at
    from event_cursors
    where event_cursors.cursor = any (cursors)
  ),
  reach as (
    select hook_positions.no, hook_positions.subscription_id, hook_positions.cursor as after_cursor, hook_positions.claimed_to as up_to,
      hook_positions.deleted_at
    from hook_positions
    union all
    select hook_skips.no, hook_positions.subscription_id, hook_skips.from_cursor, least(hook_skips.claimed_to, hook_skips.to_cursor) as up_to,
      null as deleted_at
    from hook_skips
    join hook_positions on hook_positions.no = hook_skips.no
  )
  select reach.no, erased.cursor, false
  from reach
  left join hook_subscriptions on hook_subscriptions.id = reach.subscription_id
  join erased on erased.cursor > reach.after_cursor and erased.cursor <= reach.up_to
    and (hook_subscriptions.id is null or erased.event_type = any (hook_subscriptions.event_types))
    and (coalesce(reach.deleted_at, hook_subscriptions.paused_at) is null
      or erased.sequenced_at <= coalesce(reach.deleted_at, hook_subscriptions.paused_at) + interval '10 seconds')
  union all
  select hook_retries.no, hook_retries.cursor, true
  from hook_retries
  where hook_retries.no = any (array(select hook_positions.no from hook_positions)) and hook_retries.cursor = any (cursors)
    and hook_retries.taken_by is not null;
end;
comment on function unrecorded_deliveries is 'Deliveries of these events that may be under way, or were when their process ended. retried: by a retry that was taken.';

create or replace function deliveries_of(cursors bigint[], made hook_attempts[])
  returns table (no integer, event_type text, received boolean, possibly boolean, first_at timestamptz, last_at timestamptz)
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  nos constant integer[] := array(select hook_positions.no from hook_positions);
begin
  return query
  with tried as (
    select attempt.no, attempt.cursor, bool_or(attempt.outcome = 'd') as received,
      -- Without a name, a connection or a good certificate nothing was sent; a kept connection may break after that.
      bool_or(attempt.error_class is null or attempt.error_class not in ('dns', 'tls', 'blocked')) as sent,
      min(attempt.started_at)::timestamptz as first_at, max(attempt.started_at)::timestamptz as last_at
    from unnest(made) as attempt
    group by attempt.no, attempt.cursor
  ),
  unrecorded as (
    select known.no, known.cursor, bool_or(known.retried) as retried
    from unrecorded_deliveries(cursors) as known
    group by known.no, known.cursor
  ),
  waiting as (
    select found.no, found.cursor, bool_or(found.failed) as failed
    from (
      select hook_retries.no, hook_retries.cursor, false as failed from hook_retries where hook_retries.no = any (nos) and hook_retries.cursor = any (cursors)
      union all
      select hook_failures.no, hook_failures.cursor, true from hook_failures where hook_failures.no = any (nos) and hook_failures.cursor = any (cursors)
    ) as found
    group by found.no, found.cursor
  )
  select no, event_cursors.event_type, coalesce(tried.received, false),
    not coalesce(tried.received, false) and (coalesce(tried.sent, unrecorded.no is not null) or coalesce(unrecorded.retried, false)
      -- An attempt of another process sent nothing, and this one may be sending; one that waits was passed over.
      or unrecorded.no is not null and waiting.no is null
      -- A retry that was taken becomes a failure when its webhook is switched on without what it missed.
      or tried.no is null and waiting.failed),
    coalesce(tried.first_at, event_cursors.sequenced_at), coalesce(tried.last_at, event_cursors.sequenced_at)
  from tried
  full join unrecorded using (no, cursor)
  full join waiting using (no, cursor)
  join event_cursors using (cursor)
  where event_cursors.cursor = any (cursors);
end
$$;
comment on function deliveries_of is 'Every delivery of these events that was tried, may have been sent, or waits; made are the attempts. received: one was accepted. possibly: none was, and one may have arrived.';

create or replace function delivery_report(cursors bigint[], made hook_attempts[], out deliveries bigint, out recipients jsonb)
  language sql stable set timezone = 'UTC'
begin atomic
  with known as materialized (
    select found.no, found.event_type, found.received, found.possibly, found.first_at, found.last_at
    from deliveries_of(cursors, made) as found
  ),
  recipients as (
    select hook_positions.subscription_id, count(*) filter (where known.received) as received,
      count(*) filter (where known.possibly) as possibly, min(known.first_at) as first_at, max(known.last_at) as last_at,
      array_agg(distinct known.event_type) as event_types
    from known
    join hook_positions on hook_positions.no = known.no
    where known.received or known.possibly
    group by hook_positions.subscription_id
  )
  select (select count(*) from known),
    coalesce(jsonb_agg(jsonb_build_object(
      'subscription_id', recipients.subscription_id, 'label', hook_subscriptions.label, 'target_url', hook_subscriptions.target_url,
      'received', recipients.received, 'possibly', recipients.possibly, 'first_at', recipients.first_at, 'last_at', recipients.last_at,
      'event_types', to_jsonb(recipients.event_types)) order by recipients.first_at, recipients.subscription_id), '[]')
  from recipients
  left join hook_subscriptions on hook_subscriptions.id = recipients.subscription_id;
end;
comment on function delivery_report is 'How many deliveries of these events there are, and which subscriptions received them, or may have: [{subscription_id, label, target_url, received, possibly, first_at, last_at, event_types}].';

-- With these locks no worker claims further, nothing is recorded, and no transaction that waits for one of them holds a row
-- of hook_retries or hook_failures. Positions first: what records attempts locks them before it adds any. Of
-- hook_attempts the parent alone, through which every attempt is inserted. Deliveries wait behind these locks: hence the
-- short timeout.
create or replace function lock_deliveries() returns void
  language plpgsql set search_path = public, pg_temp set lock_timeout = '2s' as $$
begin
  lock table hook_positions in exclusive mode;
  lock table hook_failures in share row exclusive mode;
  lock table only hook_attempts in share row exclusive mode;
end
$$;
comment on function lock_deliveries is 'Called by erase_kontakt: until the transaction ends nothing is claimed or recorded. Fails with 55P03 after 2 s.';

-- record_attempts and record_delivered leave out what is in erased_events. Owners drop these events from their memory
-- when they are notified.
create or replace function forget_deliveries(cursors bigint[], attempts hook_attempts[]) returns void
  language plpgsql set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  nos constant integer[] := array(select hook_positions.no from hook_positions);
  made hook_attempts;
begin
  insert into erased_events (cursor) select erased from unnest(cursors) as erased on conflict do nothing;
  foreach made in array attempts loop
    delete from hook_attempts
      where hook_attempts.no = made.no and hook_attempts.cursor = made.cursor and hook_attempts.started_at = made.started_at;
  end loop;
  delete from hook_retries where hook_retries.no = any (nos) and hook_retries.cursor = any (cursors);
  delete from hook_failures where hook_failures.no = any (nos) and hook_failures.cursor = any (cursors);
  perform pg_notify('events_erased', '');
end
$$;
comment on function forget_deliveries is 'Called by erase_kontakt: deliveries of these events go, and none of them is recorded later.';
