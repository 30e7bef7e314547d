-- Webhooks: which subscriptions there are and how far each is, what is outstanding, every attempt, and which process
-- leads. The feed is the queue: there is no row for a delivery that waits for its turn.

create table leader (
  fence integer primary key default 0,
  worker uuid,
  lease_until timestamptz not null default '-infinity'
);
comment on table leader is
  'One row: the process that sequences, delivers and prunes. The others wait until its lease ends.';
comment on column leader.fence is
  'Rises when another process leads. As the key of the row it is locked by a recording, and a renewal leaves it as it '
  'is.';
comment on column leader.lease_until is
  'Renewed every second. Further than 10 s in the future counts as over: a clock was wrong.';
create unique index leader_only_row_idx on leader ((true));
insert into leader default values;

create table hook_subscriptions (
  id uuid primary key default gen_random_uuid(),
  target_url text check (target_url like 'https://%' and length(target_url) <= 2048),
  event_types text[] not null check (
    cardinality(event_types) >= 1 and array_position(event_types, null) is null and event_types <@ array[
      'lead.created', 'lead.stage_changed', 'lead.archived', 'analysis.completed', 'din.check_completed',
      'haushalt.updated', 'kontakt.merged', 'appointment.scheduled', 'appointment.cancelled', 'appointment.updated',
      'meeting.intelligence_ready', 'meeting.intelligence_failed', 'advisory_doc.approved', 'advisory_doc.sent',
      'signal.opened', 'signal.status_changed', 'signal.outcome_recorded']),
  label text check (length(label) <= 200),
  source text not null default 'api' check (source = any (array['api', 'zapier', 'make'])),
  active boolean not null default true,
  created_at instant not null default now(),
  secret text,
  old_secret text,
  old_secret_until instant,
  old_secret_leads boolean not null default false,
  cursor bigint not null check (cursor between 0 and 9007199254740991),
  version integer not null default 1,
  replayed_version integer not null default 0,
  consecutive_failures integer not null default 0 check (consecutive_failures between 0 and 10),
  failing_since instant,
  paused_at instant,
  pause_reason text check (length(pause_reason) <= 500),
  missed_from bigint,
  missed_to bigint,
  deleted_at instant,
  check (active = (paused_at is null)),
  check ((target_url is null) = (deleted_at is not null) and (secret is null) = (deleted_at is not null)),
  check ((old_secret is null) = (old_secret_until is null))
) with (fillfactor = 50);
comment on table hook_subscriptions is
  'Webhook subscriptions: one address, the event types it wants, and how delivering to it goes.';
comment on column hook_subscriptions.target_url is
  'Canonical form of an https address; checked again at every attempt. Null: deleted.';
comment on column hook_subscriptions.active is 'False while paused: nothing is sent, and the position stays.';
comment on column hook_subscriptions.secret is
  'Signing secret, encrypted with SECRETS_KEY; bound to the id, so it opens nowhere else.';
comment on column hook_subscriptions.old_secret is
  'The secret before the last rotation, encrypted alike; signs next to the new one until old_secret_until.';
comment on column hook_subscriptions.old_secret_leads is
  'Whether the single-valued signature header still uses the old secret.';
comment on column hook_subscriptions.cursor is
  'The position: every event of its types up to it was delivered, or is in hook_outstanding. Written every ten seconds '
  'while attempts end, and a second after the last one.';
comment on column hook_subscriptions.version is
  'Rises with every change but those of a recording. What the leader read under another version it does not write.';
comment on column hook_subscriptions.replayed_version is
  'The version of the last replay: a delivery under an older one does not count as delivered.';
comment on column hook_subscriptions.consecutive_failures is
  'Deliveries in a row that ended as final failures. The tenth pauses; a delivered one sets it to 0.';
comment on column hook_subscriptions.failing_since is 'When the last run of final failures began.';
comment on column hook_subscriptions.pause_reason is
  'Why the owner paused it, perhaps empty; null: it is active, or was paused after ten final failures in a row.';
comment on column hook_subscriptions.missed_from is
  'Events of its types after this cursor expired before they were delivered; null: none.';
comment on column hook_subscriptions.deleted_at is
  'When it was deleted. The row stays for the retention time: the report of an erasure names it.';

create table hook_outstanding (
  subscription_id uuid not null,
  cursor bigint not null check (cursor between 1 and 9007199254740991),
  attempts smallint not null default 0 check (attempts between 0 and 5),
  due_at instant,
  primary key (subscription_id, cursor)
);
comment on table hook_outstanding is
  'Deliveries that were tried and did not arrive: they wait for their next attempt, or failed for good.';
comment on column hook_outstanding.attempts is 'Attempts made so far; 0: it is sent again at the owner''s wish.';
comment on column hook_outstanding.due_at is 'When the next attempt is due; null: failed for good.';
create index hook_outstanding_due_idx on hook_outstanding (subscription_id, due_at, cursor) where due_at is not null;
create index hook_outstanding_next_idx on hook_outstanding (due_at) where due_at is not null;
create index hook_outstanding_failed_idx on hook_outstanding (subscription_id, cursor) where due_at is null;

create table hook_attempts (
  subscription_id uuid not null,
  cursor bigint not null,
  started_at instant not null,
  version integer not null,
  duration_ms integer not null,
  attempt smallint not null,
  status smallint,
  outcome "char" not null check (outcome = any (array['d', 'r', 'f']::"char"[])),
  error_class text check (error_class = any (array['dns', 'connect', 'tls', 'timeout', 'status', 'blocked'])),
  excerpt text check (length(excerpt) <= 1024),
  headers text check (length(headers) <= 1024),
  primary key (subscription_id, cursor, started_at)
);
comment on table hook_attempts is 'Every attempt to deliver, written once, kept as long as the feed keeps events.';
comment on column hook_attempts.version is 'The version of the subscription under which it was sent.';
comment on column hook_attempts.attempt is
  '1 for the first of a delivery, and again for the first after it was sent again.';
comment on column hook_attempts.status is 'Status of the answer; null: none came.';
comment on column hook_attempts.outcome is 'd: delivered. r: to be tried again. f: failed for good.';
comment on column hook_attempts.error_class is 'Why it was no success; null: it was one.';
comment on column hook_attempts.excerpt is 'Personal: the beginning of the answer, as the receiver wrote it.';
comment on column hook_attempts.headers is 'Personal: headers of an answer that is no success, a line each.';
-- The charts: attempts come in the order of time, so an index of a few pages is enough.
create index hook_attempts_started_idx on hook_attempts using brin (started_at)
  with (pages_per_range = 16, autosummarize = on);

create type ended_attempt as (
  subscription_id uuid, cursor bigint, started_at timestamptz, version integer, duration_ms integer, attempt smallint,
  status smallint, outcome "char", error_class text, excerpt text, headers text, retry_ms bigint);
comment on type ended_attempt is
  'What record_attempts takes of one attempt. retry_ms: until the next one, where the outcome is r.';
