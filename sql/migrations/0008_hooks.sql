-- Webhooks: who receives which events, how far each subscription is, and every attempt there was. The feed is the queue:
-- there is no row for a delivery that waits for its turn. A process owns subscriptions and delivers to them alone; what it
-- must know after it is killed stands here. One statement of a process is for all of its subscriptions: a number written by
-- hand that it cannot read or add to would stop them all, so the checks refuse it. Cursors end where JSON's numbers
-- stop being exact, at 2^53.

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
  consecutive_failures integer not null default 0 check (consecutive_failures between 0 and 1000000),
  failing_since instant,
  paused_at instant,
  pause_reason text check (length(pause_reason) <= 500),
  check (active = (paused_at is null)),
  check ((old_secret is null) = (old_secret_until is null))
);
comment on table hook_subscriptions is 'Webhook subscriptions: one address, the event types it wants, and how delivering to it goes.';
comment on column hook_subscriptions.target_url is 'Canonical form of an https address; checked again at every attempt.';
comment on column hook_subscriptions.active is 'False while paused: nothing is sent, and the position stays.';
comment on column hook_subscriptions.secret is 'Signing secret, encrypted with SECRETS_KEY; bound to the id, so it opens nowhere else.';
comment on column hook_subscriptions.old_secret is 'The secret before the last rotation, encrypted alike; signs next to the new one until old_secret_until.';
comment on column hook_subscriptions.old_secret_leads is 'Whether the single-valued signature header still uses the old secret.';
comment on column hook_subscriptions.consecutive_failures is 'Deliveries in a row that ended as final failures. The tenth pauses; a delivered one sets it to 0.';
comment on column hook_subscriptions.failing_since is 'When the last run of final failures began.';
comment on column hook_subscriptions.pause_reason is 'Why the owner paused it, perhaps empty; null: it is active, or was paused after ten final failures in a row.';

create table hook_workers (
  id uuid primary key,
  lock_key integer,
  session_at instant not null default now(),
  lease_until instant not null,
  server_started_at instant not null default pg_postmaster_start_time(),
  missed_at instant,
  leaving boolean not null default false,
  started_at instant not null default now()
) with (fillfactor = 20);
comment on table hook_workers is 'Processes that deliver. One is alive while its lease lasts and its session holds its lock, and for a moment after.';
comment on column hook_workers.lock_key is 'Its session holds the advisory lock (20230, lock_key). Null: it has no session of its own, and is missed when its lease is over.';
comment on column hook_workers.session_at is 'When lock_key changed last. A process whose lock is newer than a cut of the connections was back after it.';
comment on column hook_workers.lease_until is 'Renewed every few seconds. A process that is stopped loses its subscriptions a moment later.';
comment on column hook_workers.server_started_at is 'Start of the server on which the lease was renewed last, or the process was noticed as missed. After a restart or a failover no session holds a lock yet: then the lease decides, and a process that was missed before is missed again from then on.';
comment on column hook_workers.missed_at is 'When another process first saw that the lease is over or the lock not held. A session that was cut off, and a process that waited for the database, have a moment to come back.';
comment on column hook_workers.leaving is 'It ends: it keeps what is busy, and counts in no share.';

create view hook_worker_states as
select hook_workers.id, hook_workers.leaving, hook_workers.missed_at,
  state.expired or state.gone and hook_workers.server_started_at = pg_postmaster_start_time() as missed,
  state.expired and state.gone as away
from hook_workers
cross join lateral (
  select hook_workers.lease_until <= now() as expired,
    hook_workers.lock_key is not null and not exists (
      select from pg_locks
      where pg_locks.locktype = 'advisory' and pg_locks.classid = 20230 and pg_locks.objid::bigint = hook_workers.lock_key
        and pg_locks.database = (select pg_database.oid from pg_database where pg_database.datname = current_database())
    ) as gone
) as state;
comment on view hook_worker_states is 'missed: the lease is over, or the session is gone, though it has been on this server. away: both are, as after an outage of the database.';

create table hook_positions (
  no integer generated always as identity primary key,
  subscription_id uuid not null unique,
  cursor bigint not null,
  claimed_to bigint not null,
  worker uuid,
  fence integer not null default 0 check (fence between 0 and 2000000000),
  counted_from integer not null default 0,
  deleted_at instant,
  check (cursor >= 0 and claimed_to between cursor and 9007199254740991)
) with (fillfactor = 20, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02);
comment on table hook_positions is 'How far each subscription is: every event of its types up to cursor has ended, or is in hook_retries or a range of hook_skips. Written about once a second; hook_attempts tells what ended above.';
comment on column hook_positions.no is 'Stands for the subscription in other tables: it is in every attempt.';
comment on column hook_positions.claimed_to is 'How far the worker may have sent. Written before it sends, so that an erasure can tell who may have received an event.';
comment on column hook_positions.worker is 'The process that delivers, see hook_workers.';
comment on column hook_positions.fence is 'Goes up with every change of worker and every change that is not the worker''s. What a process records under an older fence moves nothing, unless it still is the worker.';
comment on column hook_positions.counted_from is 'The fence under which the count of failures began where it stands: of the last change of worker, or of the last reactivation. What a process counted under an older one is not written.';
comment on column hook_positions.deleted_at is 'When the subscription was deleted. The row stays as long as its attempts.';

create table hook_retries (
  no integer not null,
  cursor bigint not null check (cursor between -9007199254740991 and 9007199254740991),
  attempts smallint not null default 0 check (attempts between 0 and 4),
  due_at instant not null default now(),
  taken_by integer,
  created_at instant not null default now(),
  primary key (no, cursor)
);
comment on table hook_retries is 'Deliveries that wait for a moment and not for their turn: for their next attempt, a redelivery, a test event.';
comment on column hook_retries.cursor is 'The event; below 0: one of hook_test_events.';
comment on column hook_retries.attempts is 'Attempts made so far.';
comment on column hook_retries.created_at is 'When it failed first, or was asked for.';
comment on column hook_retries.taken_by is 'The fence under which it was taken last. What its worker says it has under way decides, so what it did not hear of is taken again.';

create index hook_retries_due_idx on hook_retries (no, due_at);
-- Few: they are sent at once, unless no key opens the secret.
create index hook_retries_untried_idx on hook_retries (no, created_at) where attempts = 0;

-- So that a page shows how far it is.
create table hook_redeliveries (
  no integer primary key,
  cursors bigint[] not null,
  created_at instant not null default now()
);
comment on table hook_redeliveries is 'The deliveries of each subscription that the owner sent again together, the last time. Kept for a day.';
comment on column hook_redeliveries.no is 'The subscription, see hook_positions.';
comment on column hook_redeliveries.cursors is 'Their events. What is in hook_retries is on its way, what is in hook_failures failed again.';

create table hook_failures (
  no integer not null,
  cursor bigint not null check (cursor between -9007199254740991 and 9007199254740991),
  failed_at instant not null default now(),
  primary key (no, cursor)
);
comment on table hook_failures is 'Final failures that were neither sent again nor dismissed.';

create table hook_skips (
  no integer not null,
  to_cursor bigint not null,
  from_cursor bigint not null,
  claimed_to bigint not null default 0 check (claimed_to between 0 and 9007199254740991),
  reason text not null check (reason = any (array['paused', 'expired'])),
  events bigint not null,
  catching_up boolean not null default false,
  created_at instant not null default now(),
  primary key (no, to_cursor),
  check (from_cursor between 0 and to_cursor and to_cursor <= 9007199254740991)
);
comment on table hook_skips is 'Ranges of the feed that a subscription did not get: (from_cursor, to_cursor].';
comment on column hook_skips.from_cursor is 'Moves on while the range is caught up with.';
comment on column hook_skips.claimed_to is 'How far the worker may have sent of it, written before it sends.';
comment on column hook_skips.reason is 'paused: passed over when the subscription was reactivated. expired: retained no longer.';
comment on column hook_skips.events is 'How many events of the subscription''s types the range had when it was made.';
comment on column hook_skips.catching_up is 'Whether the worker of the subscription delivers it, next to new events.';

create sequence hook_test_events_seq increment -1 maxvalue -1 start -1;

create table hook_test_events (
  cursor bigint primary key default nextval('hook_test_events_seq'),
  no integer not null,
  envelope jsonb not null check ((envelope ->> 'id')::uuid is not null),
  created_at instant not null default now()
);
comment on table hook_test_events is 'Test events, which are in no feed. A cursor below 0 stands for one.';

create table hook_attempts (
  cursor bigint not null,
  started_at instant not null,
  no integer not null,
  fence integer not null,
  duration_ms integer not null,
  attempt smallint not null,
  status smallint,
  outcome "char" not null check (outcome = any (array['d', 'r', 'f']::"char"[])),
  error_class text check (error_class = any (array['dns', 'connect', 'tls', 'timeout', 'status', 'blocked'])),
  excerpt text check (length(excerpt) <= 1024),
  headers text check (length(headers) <= 1024),
  primary key (no, cursor, started_at)
) partition by range (started_at);
comment on table hook_attempts is 'Every attempt to deliver, written once; a partition for each day, kept as long as the feed keeps events.';
comment on column hook_attempts.no is 'The subscription, see hook_positions.';
comment on column hook_attempts.attempt is '1 for the first of a delivery, and again for the first of a redelivery.';
comment on column hook_attempts.status is 'Status of the answer; null: none came.';
comment on column hook_attempts.outcome is 'd: delivered. r: to be tried again. f: failed for good.';
comment on column hook_attempts.error_class is 'Why it was no success; null: it was one.';
comment on column hook_attempts.excerpt is 'Personal: the beginning of the answer, as the receiver wrote it.';
comment on column hook_attempts.headers is 'Personal: headers of an answer that is no success, a line each.';

-- The charts. Attempts come in the order of time, so an index of a few pages is enough.
create index hook_attempts_started_idx on hook_attempts using brin (started_at) with (pages_per_range = 16, autosummarize = on);

-- For clocks that are off by more than a day.
create table hook_attempts_other partition of hook_attempts default;

create table erased_events (
  cursor bigint primary key,
  erased_at instant not null default now()
);
comment on table erased_events is 'Events that were erased within the last hour: an attempt that ends late is not recorded with the receiver''s answer.';

create view hook_owned_subscriptions as
select hook_subscriptions.id, hook_subscriptions.target_url, to_json(hook_subscriptions.event_types)::text as event_types, hook_subscriptions.secret,
  case when hook_subscriptions.old_secret_until > now() then hook_subscriptions.old_secret end as old_secret,
  hook_subscriptions.old_secret_leads, hook_subscriptions.consecutive_failures,
  coalesce((
    select json_agg(json_build_object('to', hook_skips.to_cursor, 'from', hook_skips.from_cursor, 'claimed_to', hook_skips.claimed_to)
      order by hook_skips.to_cursor)
    from hook_positions
    join hook_skips on hook_skips.no = hook_positions.no and hook_skips.catching_up
    where hook_positions.subscription_id = hook_subscriptions.id), '[]')::text as ranges
from hook_subscriptions;
comment on view hook_owned_subscriptions is 'What the worker of a subscription has to know of it: where to send, how to sign, which ranges to catch up with.';

create view hook_backlogs as
select hook_subscriptions.id as subscription_id, hook_positions.no, hook_subscriptions.active,
  workers.owned, ahead.next_cursor, due.since as due_since,
  case when not workers.owned then least(due.since, (
    -- It went on as long as its worker lived.
    select greatest(min(hook_skips.created_at), (select hook_workers.lease_until from hook_workers where hook_workers.id = hook_positions.worker))
    from hook_skips
    where hook_skips.no = hook_positions.no and hook_skips.catching_up
    having count(*) > 0)) end as unowned_since,
  least(
    case when not hook_subscriptions.active or ahead.next_cursor is not null then hook_positions.cursor end,
    (select hook_skips.from_cursor from hook_skips
    where hook_skips.no = hook_positions.no and hook_skips.reason = 'paused'
    order by hook_skips.from_cursor limit 1),
    (select hook_retries.cursor - 1 from hook_retries
    where hook_retries.no = hook_positions.no and hook_retries.cursor > 0
    order by hook_retries.cursor limit 1),
    (select hook_failures.cursor - 1 from hook_failures
    where hook_failures.no = hook_positions.no and hook_failures.cursor > 0
    order by hook_failures.cursor limit 1)) as catch_up_cursor
from hook_subscriptions
join hook_positions on hook_positions.subscription_id = hook_subscriptions.id
cross join lateral (
  select min(oldest.cursor) as next_cursor, min(oldest.sequenced_at) as since
  from unnest(hook_subscriptions.event_types) as wanted (event_type)
  cross join lateral (
    select event_cursors.cursor, event_cursors.sequenced_at
    from event_cursors
    where (event_cursors.event_type, event_cursors.cursor) > (wanted.event_type, hook_positions.cursor)
      and (event_cursors.event_type, event_cursors.cursor) <= (wanted.event_type, 9223372036854775807)
      and event_cursors.cursor > hook_positions.cursor
    order by event_cursors.event_type, event_cursors.cursor
    limit 1
  ) as oldest
) as ahead
cross join lateral (
  select exists (select from hook_workers where hook_workers.id = hook_positions.worker and hook_workers.lease_until > now()) as owned
) as workers
cross join lateral (
  select least(ahead.since,
    (select hook_retries.due_at from hook_retries
    where hook_retries.no = hook_positions.no and hook_retries.due_at <= now()
    order by hook_retries.due_at limit 1),
    -- Put off without a request, such as where no key opens the secret.
    (select hook_retries.created_at from hook_retries
    where hook_retries.no = hook_positions.no and hook_retries.attempts = 0
    order by hook_retries.created_at limit 1)) as since
) as due;
comment on view hook_backlogs is 'How far behind each subscription is. owned: a live process delivers to it. next_cursor: its first event above the position. due_since: when the oldest delivery that could be sent came, or was due again. unowned_since: since when one of these, or a range to catch up with, waits without such a process. catch_up_cursor: GET /events gives after it everything that was not received; null: nothing is missing.';
