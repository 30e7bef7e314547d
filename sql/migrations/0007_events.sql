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
  payload jsonb not null
);
comment on table event_types is 'The event types there are, in the order of the contract, and their schema_version.';
comment on column event_types.payload is 'JSON Schema of data, as /openapi.json publishes it for this version.';

-- What producers emit is what was published: emit_event holds data against payload.
insert into event_types (position, event_type, schema_version, payload) values
  (1, 'lead.created', '1',
    '{"additionalProperties":false,"type":"object","required":["lead_id","name","email","phone","source_type","status","product_domain"],"properties":{"lead_id":{"format":"uuid","type":"string"},"name":{"anyOf":[{"type":"string"},{"type":"null"}]},"email":{"anyOf":[{"type":"string"},{"type":"null"}]},"phone":{"anyOf":[{"type":"string"},{"type":"null"}]},"source_type":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"type":"string"},"product_domain":{"anyOf":[{"type":"string"},{"type":"null"}]}}}'),
  (2, 'lead.stage_changed', '1',
    '{"additionalProperties":false,"type":"object","required":["lead_id","status_before","status_after","trigger"],"properties":{"lead_id":{"format":"uuid","type":"string"},"status_before":{"type":"string"},"status_after":{"type":"string"},"trigger":{"anyOf":[{"type":"string"},{"type":"null"}]}}}'),
  (3, 'lead.archived', '1',
    '{"additionalProperties":false,"type":"object","required":["lead_id","archive_reason_code"],"properties":{"lead_id":{"format":"uuid","type":"string"},"archive_reason_code":{"anyOf":[{"type":"string"},{"type":"null"}]}}}'),
  (4, 'analysis.completed', '2',
    '{"additionalProperties":false,"type":"object","required":["channel","analysis_schema_version","analysis"],"properties":{"channel":{"anyOf":[{"const":"chat","type":"string"},{"const":"call","type":"string"}]},"analysis_schema_version":{"anyOf":[{"type":"string"},{"type":"null"}]},"analysis":{"additionalProperties":true,"type":"object","properties":{}}}}'),
  (5, 'din.check_completed', '1',
    '{"additionalProperties":false,"type":"object","required":["channel","quelle","kontakt_key","params_version","luecken_nach_stufe","unbekannt_anzahl"],"properties":{"channel":{"anyOf":[{"anyOf":[{"const":"chat","type":"string"},{"const":"call","type":"string"}]},{"type":"null"}]},"quelle":{"anyOf":[{"type":"string"},{"type":"null"}]},"kontakt_key":{"anyOf":[{"type":"string"},{"type":"null"}]},"params_version":{"anyOf":[{"type":"string"},{"type":"null"}]},"luecken_nach_stufe":{"type":"array","items":{"additionalProperties":false,"type":"object","required":["stufe","anzahl"],"properties":{"stufe":{"type":"integer"},"anzahl":{"minimum":0,"type":"integer"}}}},"unbekannt_anzahl":{"minimum":0,"type":"integer"}}}'),
  (6, 'haushalt.updated', '1',
    '{"additionalProperties":false,"type":"object","required":["kontakt_key","quelle","geaenderte_abschnitte","vertraege_anzahl","luecken_anzahl"],"properties":{"kontakt_key":{"type":"string"},"quelle":{"anyOf":[{"type":"string"},{"type":"null"}]},"geaenderte_abschnitte":{"type":"array","items":{"type":"string"}},"vertraege_anzahl":{"minimum":0,"type":"integer"},"luecken_anzahl":{"minimum":0,"type":"integer"}}}'),
  (7, 'kontakt.merged', '1',
    '{"additionalProperties":false,"type":"object","required":["canonical_key","alias_key"],"properties":{"canonical_key":{"type":"string"},"alias_key":{"type":"string"}}}'),
  (8, 'appointment.scheduled', '1',
    '{"additionalProperties":false,"type":"object","required":["appointment_id","title","starts_at","ends_at","platform","meeting_url","customer_display_name","source"],"properties":{"appointment_id":{"format":"uuid","type":"string"},"title":{"anyOf":[{"type":"string"},{"type":"null"}]},"starts_at":{"format":"date-time","type":"string"},"ends_at":{"anyOf":[{"format":"date-time","type":"string"},{"type":"null"}]},"platform":{"type":"string"},"meeting_url":{"anyOf":[{"type":"string"},{"type":"null"}]},"customer_display_name":{"anyOf":[{"type":"string"},{"type":"null"}]},"source":{"anyOf":[{"type":"string"},{"type":"null"}]}}}'),
  (9, 'appointment.cancelled', '1',
    '{"additionalProperties":false,"type":"object","required":["appointment_id","title","starts_at","ends_at","platform","meeting_url","customer_display_name","source"],"properties":{"appointment_id":{"format":"uuid","type":"string"},"title":{"anyOf":[{"type":"string"},{"type":"null"}]},"starts_at":{"format":"date-time","type":"string"},"ends_at":{"anyOf":[{"format":"date-time","type":"string"},{"type":"null"}]},"platform":{"type":"string"},"meeting_url":{"anyOf":[{"type":"string"},{"type":"null"}]},"customer_display_name":{"anyOf":[{"type":"string"},{"type":"null"}]},"source":{"anyOf":[{"type":"string"},{"type":"null"}]}}}'),
  (10, 'appointment.updated', '1',
    '{"additionalProperties":false,"type":"object","required":["appointment_id","title","starts_at","ends_at","platform","meeting_url","customer_display_name","source"],"properties":{"appointment_id":{"format":"uuid","type":"string"},"title":{"anyOf":[{"type":"string"},{"type":"null"}]},"starts_at":{"format":"date-time","type":"string"},"ends_at":{"anyOf":[{"format":"date-time","type":"string"},{"type":"null"}]},"platform":{"type":"string"},"meeting_url":{"anyOf":[{"type":"string"},{"type":"null"}]},"customer_display_name":{"anyOf":[{"type":"string"},{"type":"null"}]},"source":{"anyOf":[{"type":"string"},{"type":"null"}]}}}'),
  (11, 'meeting.intelligence_ready', '1',
    '{"additionalProperties":false,"type":"object","required":["appointment_id","summary","next_steps","overall_score","results"],"properties":{"appointment_id":{"format":"uuid","type":"string"},"summary":{"anyOf":[{"type":"string"},{"type":"null"}]},"next_steps":{},"overall_score":{"anyOf":[{"type":"number"},{"type":"null"}]},"results":{"type":"array","items":{"additionalProperties":false,"type":"object","required":["field_key","label","kind","output_type","status","value","score","level","rationale","recommendation","generated_at"],"properties":{"field_key":{"type":"string"},"label":{"type":"string"},"kind":{"type":"string"},"output_type":{"type":"string"},"status":{"type":"string"},"value":{},"score":{"anyOf":[{"type":"number"},{"type":"null"}]},"level":{"anyOf":[{"type":"string"},{"type":"null"}]},"rationale":{"anyOf":[{"type":"string"},{"type":"null"}]},"recommendation":{"anyOf":[{"type":"string"},{"type":"null"}]},"generated_at":{"anyOf":[{"format":"date-time","type":"string"},{"type":"null"}]}}}}}}'),
  (12, 'meeting.intelligence_failed', '1',
    '{"additionalProperties":false,"type":"object","required":["appointment_id","failure_reason"],"properties":{"appointment_id":{"format":"uuid","type":"string"},"failure_reason":{"anyOf":[{"type":"string"},{"type":"null"}]}}}'),
  (13, 'advisory_doc.approved', '1',
    '{"additionalProperties":false,"type":"object","required":["advisory_doc_id","lead_id","title","approved_at"],"properties":{"advisory_doc_id":{"format":"uuid","type":"string"},"lead_id":{"anyOf":[{"format":"uuid","type":"string"},{"type":"null"}]},"title":{"anyOf":[{"type":"string"},{"type":"null"}]},"approved_at":{"format":"date-time","type":"string"}}}'),
  (14, 'advisory_doc.sent', '1',
    '{"additionalProperties":false,"type":"object","required":["advisory_doc_id","lead_id","title","sent_at"],"properties":{"advisory_doc_id":{"format":"uuid","type":"string"},"lead_id":{"anyOf":[{"format":"uuid","type":"string"},{"type":"null"}]},"title":{"anyOf":[{"type":"string"},{"type":"null"}]},"sent_at":{"format":"date-time","type":"string"}}}'),
  (15, 'signal.opened', '1',
    '{"additionalProperties":false,"type":"object","required":["signal_id","kind","title","score","status","kontakt_key","lead_id","quelle"],"properties":{"signal_id":{"format":"uuid","type":"string"},"kind":{"type":"string"},"title":{"type":"string"},"score":{"type":"number"},"status":{"anyOf":[{"const":"open","type":"string"},{"const":"dismissed","type":"string"},{"const":"done","type":"string"},{"const":"resolved","type":"string"}]},"kontakt_key":{"anyOf":[{"type":"string"},{"type":"null"}]},"lead_id":{"anyOf":[{"format":"uuid","type":"string"},{"type":"null"}]},"quelle":{"anyOf":[{"type":"string"},{"type":"null"}]}}}'),
  (16, 'signal.status_changed', '1',
    '{"additionalProperties":false,"type":"object","required":["signal_id","kind","title","score","status","kontakt_key","lead_id","quelle"],"properties":{"signal_id":{"format":"uuid","type":"string"},"kind":{"type":"string"},"title":{"type":"string"},"score":{"type":"number"},"status":{"anyOf":[{"const":"open","type":"string"},{"const":"dismissed","type":"string"},{"const":"done","type":"string"},{"const":"resolved","type":"string"}]},"kontakt_key":{"anyOf":[{"type":"string"},{"type":"null"}]},"lead_id":{"anyOf":[{"format":"uuid","type":"string"},{"type":"null"}]},"quelle":{"anyOf":[{"type":"string"},{"type":"null"}]}}}'),
  (17, 'signal.outcome_recorded', '1',
    '{"additionalProperties":false,"type":"object","required":["signal_id","kind","title","score","status","kontakt_key","lead_id","quelle","outcome"],"properties":{"signal_id":{"format":"uuid","type":"string"},"kind":{"type":"string"},"title":{"type":"string"},"score":{"type":"number"},"status":{"anyOf":[{"const":"open","type":"string"},{"const":"dismissed","type":"string"},{"const":"done","type":"string"},{"const":"resolved","type":"string"}]},"kontakt_key":{"anyOf":[{"type":"string"},{"type":"null"}]},"lead_id":{"anyOf":[{"format":"uuid","type":"string"},{"type":"null"}]},"quelle":{"anyOf":[{"type":"string"},{"type":"null"}]},"outcome":{"type":"string"}}}');

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

create table sample_events (
  event_type text primary key references event_types (event_type),
  id uuid not null,
  schema_version text not null,
  occurred_at instant not null,
  object_type text not null,
  object_id text not null,
  links jsonb not null,
  data jsonb not null
);
comment on table sample_events is 'One example event per type, made by make_sample_events.';
comment on column sample_events.data is 'The payload of an invented person.';
