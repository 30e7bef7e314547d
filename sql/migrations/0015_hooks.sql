-- Webhooks: who receives which events, what is on its way to whom, and every attempt there was.
-- The sequencer inserts the deliveries of a batch in the batch's own transaction, so none is ever lost or invented.

create table hook_subscriptions (
  id uuid primary key default gen_random_uuid(),
  target_url text not null check (target_url like 'https://%' and length(target_url) <= 2048),
  event_types text[] not null check (cardinality(event_types) >= 1 and array_position(event_types, null) is null and event_types <@ array[
    'lead.created', 'lead.stage_changed', 'lead.archived', 'analysis.completed', 'din.check_completed', 'haushalt.updated',
    'kontakt.merged', 'appointment.scheduled', 'appointment.cancelled', 'appointment.updated', 'meeting.intelligence_ready',
    'meeting.intelligence_failed', 'advisory_doc.approved', 'advisory_doc.sent', 'signal.opened', 'signal.status_changed',
    'signal.outcome_recorded']),
  label text check (length(label) <= 200),
  source text not null default 'api' check (source = any (array['api', 'zapier', 'make'])),
  active boolean not null default true,
  created_at instant not null default now(),
  secret text not null,
  old_secret text,
  old_secret_until instant,
  old_secret_leads boolean not null default false,
  consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
  failing_since instant,
  failing_cursor bigint,
  missed_since instant,
  missed_cursor bigint,
  paused_at instant,
  check (active = (paused_at is null)),
  check ((old_secret is null) = (old_secret_until is null))
);
comment on table hook_subscriptions is 'Webhook subscriptions: one address, the event types it wants, and how delivering to it goes.';
comment on column hook_subscriptions.target_url is 'Canonical form of an https address; checked again at every attempt.';
comment on column hook_subscriptions.active is 'False while paused: events are then recorded as skipped.';
comment on column hook_subscriptions.secret is 'Signing secret, encrypted with SECRETS_KEY; bound to the id, so it opens nowhere else.';
comment on column hook_subscriptions.old_secret is 'The secret before the last rotation, encrypted alike; signs beside the new one until old_secret_until.';
comment on column hook_subscriptions.old_secret_leads is 'Whether the single-valued signature header still uses the old secret.';
comment on column hook_subscriptions.consecutive_failures is 'Deliveries in a row that ended as final failures. The tenth pauses; a delivered one sets it to 0.';
comment on column hook_subscriptions.failing_since is 'When the last run of final failures began.';
comment on column hook_subscriptions.failing_cursor is 'The lowest cursor in the last run of final failures.';

comment on column hook_subscriptions.missed_since is 'When the first run of failures began that paused it and has not been made up for; null: none.';
comment on column hook_subscriptions.missed_cursor is 'The lowest cursor in such a run.';

create table hook_deliveries (
  id bigint generated always as identity primary key,
  subscription_id uuid not null,
  cursor bigint,
  test_event jsonb,
  state text not null default 'pending' check (state = any (array['pending', 'delivered', 'failed', 'skipped'])),
  attempts integer not null default 0,
  due_at instant not null default now(),
  claim uuid,
  claimed_until instant,
  created_at instant not null default now(),
  ended_at instant,
  check ((cursor is null) <> (test_event is null)),
  check ((claim is null) = (claimed_until is null)),
  check ((state = 'pending') = (ended_at is null)),
  check (claim is null or state = 'pending')
) with (
  -- Room on the page for a claimed row beside every one: claiming changes no indexed column, so the row can stay
  -- where it is and no index hears of it. With 70 half of them moved, at 4.2 WAL records each in place of 2.1.
  fillfactor = 40,
  -- The front of hook_deliveries_pending_idx turns over all the time.
  autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0
);
comment on table hook_deliveries is 'One event on its way to one subscription: pending until it is delivered, has finally failed, or was skipped because the subscription is paused.';
comment on column hook_deliveries.subscription_id is 'No foreign key: deleting a subscription must not wait for its deliveries.';
comment on column hook_deliveries.cursor is 'The event, by its place in the feed; null for a test event.';
comment on column hook_deliveries.test_event is 'The envelope of a test event, which is in no feed.';
comment on column hook_deliveries.attempts is 'Attempts recorded since it was last due anew. Counted when recorded: a crash must not use one up unsent.';
comment on column hook_deliveries.claim is 'Who may record an attempt: made anew by every claim, so a late answer of an earlier claim changes nothing.';
comment on column hook_deliveries.claimed_until is 'When the claim lapses and somebody else may take the delivery.';

-- What is due, subscription by subscription; finished deliveries leave it.
create index hook_deliveries_pending_idx on hook_deliveries (subscription_id, due_at, id) where state = 'pending';
-- The dashboard's lists, and what was missed.
create index hook_deliveries_state_idx on hook_deliveries (subscription_id, state, id);

create table hook_attempts (
  delivery_id bigint not null,
  claim uuid not null,
  started_at instant not null,
  duration_ms integer not null,
  status integer,
  error_class text check (error_class = any (array['dns', 'connect', 'tls', 'timeout', 'status', 'blocked'])),
  excerpt text check (length(excerpt) <= 1024),
  primary key (delivery_id, claim)
);
-- The chart of the last day. Attempts come in the order of time, so an index of a few pages is enough, and adding
-- to it costs next to nothing.
create index hook_attempts_started_idx on hook_attempts using brin (started_at) with (pages_per_range = 16, autosummarize = on);
comment on table hook_attempts is 'Every attempt to deliver, kept as long as the feed keeps events.';
comment on column hook_attempts.claim is 'The claim that made the attempt: recording it twice, as after a lost connection, changes nothing.';
comment on column hook_attempts.status is 'Status of the answer; null: none came.';
comment on column hook_attempts.error_class is 'Why it was no success; null: it was one.';
comment on column hook_attempts.excerpt is 'Personal: the beginning of the answer, as the receiver wrote it.';

-- What the owner can read on to catch up: everything above it has not been delivered, or not for certain.
create function catch_up_cursor(subscription hook_subscriptions) returns bigint
  language sql stable as $$
  select least(
    case when subscription.consecutive_failures > 0 then subscription.failing_cursor end,
    subscription.missed_cursor,
    (select hook_deliveries.cursor from hook_deliveries
      where hook_deliveries.subscription_id = subscription.id and hook_deliveries.state = 'pending' and hook_deliveries.cursor is not null
      order by hook_deliveries.id limit 1),
    (select hook_deliveries.cursor from hook_deliveries
      where hook_deliveries.subscription_id = subscription.id and hook_deliveries.state = 'skipped' and hook_deliveries.cursor is not null
      order by hook_deliveries.id limit 1)) - 1
$$;
comment on function catch_up_cursor is 'The cursor after which GET /events gives everything the subscription has not received; null: nothing is missing.';

-- A count alone would let two at once both take the last place. Whoever asks waits until the one before has
-- committed, and then counts anew: every statement of a volatile function sees what is committed by then.
create function hook_place_is_free(subscriptions_max integer) returns boolean
  language plpgsql volatile
  set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock('hook_subscriptions'::regclass::bigint);
  return (select count(*) < subscriptions_max from hook_subscriptions);
end
$$;
comment on function hook_place_is_free is 'Whether one more subscription may be inserted by this transaction; others that ask wait until it ends.';
