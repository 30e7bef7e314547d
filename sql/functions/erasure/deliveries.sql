-- Deliveries of a person's events: who received them, who may have, and how they go.

-- Received: an attempt was accepted. Possibly: one was sent and not accepted, one is due, or the type is listed and the
-- position had not passed the event, so that a request may be under way. Slightly too many, never too few.
create or replace function delivery_report(cursors bigint[]) returns jsonb
  language sql stable set timezone = 'UTC'
begin atomic
  with deliveries as (
    select hook_subscriptions.id, hook_subscriptions.label, hook_subscriptions.target_url, event_cursors.event_type,
      coalesce(tried.received, false) as received,
      coalesce(tried.last_at, event_cursors.sequenced_at)::timestamptz as at
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
            and hook_outstanding.cursor = event_cursors.cursor and hook_outstanding.due_at is not null)
        or event_cursors.event_type = any (hook_subscriptions.event_types)
          and hook_subscriptions.cursor < event_cursors.cursor
          and event_cursors.sequenced_at <= coalesce(hook_subscriptions.paused_at, now()) + interval '10 seconds'
          and event_cursors.sequenced_at >= hook_subscriptions.created_at - interval '10 seconds')
  )
  select coalesce(jsonb_agg(to_jsonb(recipients) order by recipients.first_at, recipients.subscription_id), '[]')
  from (
    select id as subscription_id, label, target_url, count(*) filter (where received) as received,
      count(*) filter (where not received) as possibly, min(at) as first_at, max(at) as last_at,
      array_agg(distinct event_type) as event_types
    from deliveries
    group by id, label, target_url
  ) as recipients;
end;
comment on function delivery_report is
  'Which subscriptions received these events, or may have: [{subscription_id, label, target_url, received, '
  'possibly, first_at, last_at, event_types}].';

-- A look along the key for each subscription.
create or replace function count_attempts(cursors bigint[], out attempts bigint, out deliveries bigint)
  language plpgsql stable set search_path = public, pg_temp as $$
begin
  select coalesce(sum(made.attempts), 0), count(*) into attempts, deliveries
  from hook_subscriptions
  cross join lateral (
    select count(*) as attempts from hook_attempts
    where hook_attempts.subscription_id = hook_subscriptions.id and hook_attempts.cursor = any (cursors)
    group by hook_attempts.cursor
  ) as made;
end
$$;
comment on function count_attempts is 'How many attempts to deliver these events were made, of how many deliveries.';

-- A recording waits for the lock, and then finds that the event is gone: the receiver's words are not kept. The
-- leader drops what is in its memory.
create or replace function forget_deliveries(cursors bigint[]) returns void
  language plpgsql set search_path = public, pg_temp set lock_timeout = '2s' as $$
begin
  lock table hook_attempts in share row exclusive mode;
  delete from hook_attempts using hook_subscriptions
  where hook_attempts.subscription_id = hook_subscriptions.id and hook_attempts.cursor = any (cursors);
  delete from hook_outstanding using hook_subscriptions
  where hook_outstanding.subscription_id = hook_subscriptions.id and hook_outstanding.cursor = any (cursors);
  perform pg_notify('events_erased', '');
end
$$;
comment on function forget_deliveries is
  'Called by erase_kontakt: deliveries of these events go. Fails with 55P03 after 2 s.';
