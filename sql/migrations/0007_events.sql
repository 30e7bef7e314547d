-- The event feed. Triggers append events to the log, the table events, inside the writer's transaction and without a
-- cursor: a number drawn at insert becomes visible at commit, and a reader would skip what commits late. The sequencer
-- gives cursors to what became visible, one process at a time, by appending to event_cursors. Nothing is moved, updated
-- or deleted on the way, so a snapshot that is held open slows nothing down.
--
-- @needs identity/hints

create table event_types (
  event_type text primary key,
  schema_version text not null,
  position smallint not null unique,
  members text[] not null
);
comment on table event_types is 'The event types there are, in the order of the contract, and their schema_version.';
comment on column event_types.members is 'The members of data, as /openapi.json publishes them for this version.';

insert into event_types (position, event_type, schema_version, members) values
  (1, 'lead.created', '1', '{lead_id,name,email,phone,source_type,status,product_domain}'),
  (2, 'lead.stage_changed', '1', '{lead_id,status_before,status_after,trigger}'),
  (3, 'lead.archived', '1', '{lead_id,archive_reason_code}'),
  (4, 'analysis.completed', '2', '{channel,analysis_schema_version,analysis}'),
  (5, 'din.check_completed', '1', '{channel,quelle,kontakt_key,params_version,luecken_nach_stufe,unbekannt_anzahl}'),
  (6, 'haushalt.updated', '1', '{kontakt_key,quelle,geaenderte_abschnitte,vertraege_anzahl,luecken_anzahl}'),
  (7, 'kontakt.merged', '1', '{canonical_key,alias_key}'),
  (8, 'appointment.scheduled', '1',
    '{appointment_id,title,starts_at,ends_at,platform,meeting_url,customer_display_name,source}'),
  (9, 'appointment.cancelled', '1',
    '{appointment_id,title,starts_at,ends_at,platform,meeting_url,customer_display_name,source}'),
  (10, 'appointment.updated', '1',
    '{appointment_id,title,starts_at,ends_at,platform,meeting_url,customer_display_name,source}'),
  (11, 'meeting.intelligence_ready', '1', '{appointment_id,summary,next_steps,overall_score,results}'),
  (12, 'meeting.intelligence_failed', '1', '{appointment_id,failure_reason}'),
  (13, 'advisory_doc.approved', '1', '{advisory_doc_id,lead_id,title,approved_at}'),
  (14, 'advisory_doc.sent', '1', '{advisory_doc_id,lead_id,title,sent_at}'),
  (15, 'signal.opened', '1', '{signal_id,kind,title,score,status,kontakt_key,lead_id,quelle}'),
  (16, 'signal.status_changed', '1', '{signal_id,kind,title,score,status,kontakt_key,lead_id,quelle}'),
  (17, 'signal.outcome_recorded', '1', '{signal_id,kind,title,score,status,kontakt_key,lead_id,quelle,outcome}');

-- Cache 1: within one transaction ids follow the order of the changes, and the sequencer keeps it.
create sequence events_log_id_seq cache 1;

create table events (
  log_id bigint primary key default nextval('events_log_id_seq'),
  id uuid not null default gen_random_uuid(),
  event_type text not null,
  schema_version text not null,
  occurred_at instant not null default clock_timestamp(),
  object_type text not null,
  object_id text not null,
  links jsonb not null,
  data jsonb not null,
  bytes integer not null generated always as (octet_length(data::text)) stored,
  xid bigint not null default pg_current_xact_id()::text::bigint
);
comment on table events is
  'The log: every event, appended by the writer''s transaction. event_cursors gives its place in the feed.';
comment on column events.log_id is
  'Order of the changes within one transaction. No cursor: it becomes visible out of order.';
comment on column events.data is 'Personal: the payload.';
comment on column events.bytes is 'Length of data as it is sent: pages end by it.';
comment on column events.xid is 'The writer''s transaction: the sequencer finds by it what a long one added.';

-- Partial, so that no look by log_id alone skips along it: a plan from when there were few transactions would.
create index events_xid_idx on events (xid, log_id) where xid > 0;
-- Finding a person's events. UUIDs and keys in lower case, because emit_event takes them as writers spell them.
create index events_object_idx on events (lower(object_id));
create index events_lead_idx on events (lower(coalesce(links ->> 'lead_id', data ->> 'lead_id')))
  where lower(coalesce(links ->> 'lead_id', data ->> 'lead_id')) is not null;
create index events_session_idx on events ((links ->> 'session_id')) where links ->> 'session_id' is not null;
create index events_kontakt_idx on events (lower(coalesce(data ->> 'kontakt_key', data ->> 'canonical_key')))
  where lower(coalesce(data ->> 'kontakt_key', data ->> 'canonical_key')) is not null;
create index events_email_idx on events (kontakt_key_hint(data ->> 'email'))
  where kontakt_key_hint(data ->> 'email') is not null;
create index events_phone_idx on events (kontakt_key_hint(data ->> 'phone'))
  where kontakt_key_hint(data ->> 'phone') is not null;

create table event_cursors (
  cursor bigint primary key,
  log_id bigint not null,
  sequenced_at instant not null default clock_timestamp(),
  event_type text not null
);
comment on table event_cursors is
  'The feed: the cursor of every event, in the order in which events became visible. A cursor whose event was '
  'erased stays, and points at nothing.';
comment on column event_cursors.cursor is 'Position in the feed; ascending, with gaps where the feed was advanced.';
comment on column event_cursors.sequenced_at is 'When the event got its cursor; retention counts from here.';

-- No event gets a second cursor.
create unique index event_cursors_log_id_idx on event_cursors (log_id);
-- GET /events?types= and subscriptions that lag behind: each type in cursor order.
create index event_cursors_type_idx on event_cursors (event_type, cursor);

create table feed_lock (only_row boolean primary key default true check (only_row));
comment on table feed_lock is
  'One row. What gives out cursors or moves the head locks it first. It is never updated, so no held snapshot makes '
  'it slow.';

insert into feed_lock default values;

create table feed (
  only_row boolean primary key default true check (only_row),
  -- Far enough below 2^53, where JSON's numbers stop being exact, for all cursors to come.
  head_floor bigint not null default 0 check (head_floor between 0 and 9000000000000000),
  horizon bigint not null default 0 check (horizon between 0 and 9000000000000000),
  identity text,
  log_floor bigint not null default 0,
  late jsonb not null default '[]'
) with (fillfactor = 10);
comment on table feed is 'One row: the state of the feed.';
comment on column feed.head_floor is 'The head is at least this: where the feed was advanced to.';
comment on column feed.horizon is 'The highest expired cursor.';
comment on column feed.identity is
  'The database that gave out the cursors, see database_identity. In another one the feed advances first.';
comment on column feed.log_floor is
  'Where a sequencer begins that knows nothing yet; stored every ten seconds. Every event up to it has a cursor, '
  'never appears, or is of a transaction in late.';
comment on column feed.late is
  'Transactions that ran for long: xid, and log_id, up to which their events have cursors.';

insert into feed default values;

-- Read by every writer and switched now and then. A sequence, because switching a row leaves a dead version each time.
create sequence feed_sleep minvalue 0 maxvalue 1 start 0;
comment on sequence feed_sleep is
  'last_value 1: the sequencer sleeps, and writers wake it by NOTIFY. 0: it looks by itself.';

-- Dead entries of expired cursors are not read.
create view feed_state as
select feed.horizon,
  greatest(feed.head_floor, feed.horizon, (
    select event_cursors.cursor from event_cursors
    where event_cursors.cursor > feed.horizon
    order by event_cursors.cursor desc
    limit 1)) as head
from feed;
comment on view feed_state is
  'The bounds of the feed: its head is the last cursor given out, its horizon the highest expired one.';

create view feed_events as
select event_cursors.cursor, event_cursors.sequenced_at, events.id, events.event_type, events.schema_version,
  events.occurred_at, events.object_type, events.object_id, events.links, events.data
from event_cursors
join events on events.log_id = event_cursors.log_id;
comment on view feed_events is 'The feed as GET /events gives it, with the moment each event got its cursor.';

create type event_envelope as (
  id uuid, event_type text, schema_version text, occurred_at text, object_type text, object_id text, links jsonb,
  data jsonb);
comment on type event_envelope is 'An event as webhooks and the feed send it.';

create type new_event as (
  event_type text, schema_version text, object_type text, object_id text, links jsonb, data jsonb);
comment on type new_event is 'An event as a trigger appends it.';
