-- Deliveries of a person's events: who received them, who may have, and how they go.

-- A look along the key for each subscription and event, whatever the statistics are.
create or replace function attempts_of(cursors bigint[]) returns setof hook_attempts
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
begin
  return query
    select hook_attempts.*
    from hook_subscriptions
    cross join unnest(cursors) as erased (cursor)
    join hook_attempts on hook_attempts.subscription_id = hook_subscriptions.id
      and hook_attempts.cursor = erased.cursor;
end
$$;
comment on function attempts_of is 'The attempts to deliver these events.';

-- Received: an attempt was accepted. Possibly: one was sent and not accepted, one is due, or the type is listed and the
-- position had not passed the event, so that a request may be under way. Slightly too many, never too few.
create or replace function deliveries_of(cursors bigint[])
  returns table (subscription_id uuid, cursor bigint, event_type text, received boolean, at timestamptz)
  language sql stable
begin atomic
  select hook_subscriptions.id, event_cursors.cursor, event_cursors.event_type, coalesce(tried.received, false),
    coalesce(tried.last_at, event_cursors.sequenced_at)::timestamptz
  from event_cursors
  cross join hook_subscriptions
  left join lateral (
    select bool_or(attempt.outcome = 'd') as received,
      -- Without a name, a connection or a good certificate nothing was sent.
      bool_or(coalesce(attempt.error_class, '') <> all (array['dns', 'tls', 'blocked'])) as sent,
      max(attempt.started_at) as last_at
    from hook_attempts as attempt
    where attempt.subscription_id = hook_subscriptions.id and attempt.cursor = event_cursors.cursor
  ) as tried on true
  where event_cursors.cursor = any (cursors)
    and (tried.sent
      or exists (select from hook_outstanding
        where hook_outstanding.subscription_id = hook_subscriptions.id
          and hook_outstanding.cursor = event_cursors.cursor
          and hook_outstanding.due_at is not null)
      or event_cursors.event_type = any (hook_subscriptions.event_types)
        and hook_subscriptions.cursor < event_cursors.cursor
        and event_cursors.sequenced_at <= coalesce(hook_subscriptions.paused_at, now()) + interval '10 seconds'
        and event_cursors.sequenced_at >= hook_subscriptions.created_at - interval '10 seconds');
end;
comment on function deliveries_of is 'Which subscriptions received these events, or may have.';

create or replace function delivery_report(cursors bigint[]) returns jsonb
  language sql stable set timezone = 'UTC'
begin atomic
  select coalesce(jsonb_agg(jsonb_build_object(
      'subscription_id', recipients.id, 'label', recipients.label, 'target_url', recipients.target_url,
      'received', recipients.received, 'possibly', recipients.possibly, 'first_at', recipients.first_at,
      'last_at', recipients.last_at, 'event_types', to_jsonb(recipients.event_types))
    order by recipients.first_at, recipients.id), '[]')
  from (
    select hook_subscriptions.id, hook_subscriptions.label, hook_subscriptions.target_url,
      count(*) filter (where known.received) as received, count(*) filter (where not known.received) as possibly,
      min(known.at) as first_at, max(known.at) as last_at, array_agg(distinct known.event_type) as event_types
    from deliveries_of(cursors) as known
    join hook_subscriptions on hook_subscriptions.id = known.subscription_id
    group by hook_subscriptions.id
  ) as recipients;
end;
comment on function delivery_report is
  'Which subscriptions received these events, or may have: [{subscription_id, label, target_url, received, '
  'possibly, first_at, last_at, event_types}].';

-- A recording waits for the lock, and then finds that the event is gone: the receiver's words are not kept. The
-- leader drops what is in its memory.
create or replace function forget_deliveries(cursors bigint[], out attempts bigint, out deliveries bigint)
  language plpgsql set search_path = public, pg_temp set enable_seqscan = off set lock_timeout = '2s' as $$
begin
  lock table hook_attempts in share row exclusive mode;
  with gone as (
    delete from hook_attempts
    using attempts_of(cursors) as made
    where hook_attempts.subscription_id = made.subscription_id and hook_attempts.cursor = made.cursor
      and hook_attempts.started_at = made.started_at
    returning hook_attempts.subscription_id, hook_attempts.cursor
  )
  select count(*), count(distinct (gone.subscription_id, gone.cursor)) into attempts, deliveries from gone;
  delete from hook_outstanding
  using hook_subscriptions
  where hook_outstanding.subscription_id = hook_subscriptions.id and hook_outstanding.cursor = any (cursors);
  perform pg_notify('events_erased', '');
end
$$;
comment on function forget_deliveries is
  'Called by erase_kontakt: deliveries of these events go; how many attempts, of how many deliveries. Fails '
  'with 55P03 after 2 s.';
