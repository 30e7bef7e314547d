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
  log_id bigint not null default nextval('events_log_id_seq'),
  id uuid not null default gen_random_uuid(),
  event_type text not null,
  schema_version text not null,
  occurred_at instant not null default clock_timestamp(),
  object_type text not null,
  object_id text not null,
  links jsonb not null,
  data jsonb not null,
  primary key (log_id)
) partition by range (log_id);
comment on table events is 'The log: every event, appended by the writer''s transaction. event_cursors gives its place in the feed.';
comment on column events.log_id is 'Order of the changes within one transaction. No cursor: it becomes visible out of order.';
comment on column events.data is 'Personal: the payload.';

-- By blocks of the log: B-trees on the same would make every event half again as dear. As many names a block as a filter of
-- 508 bytes holds: a larger one is stored compressed, and a look would unpack each. UUIDs and keys in lower case, because
-- emit_event takes them as writers spell them.
create index events_names_idx on events using brin (
  (lower(object_id)) text_bloom_ops (n_distinct_per_range = 280, false_positive_rate = 0.001),
  (lower(coalesce(links ->> 'lead_id', data ->> 'lead_id'))) text_bloom_ops (n_distinct_per_range = 280, false_positive_rate = 0.001),
  (links ->> 'session_id') text_bloom_ops (n_distinct_per_range = 140, false_positive_rate = 0.005),
  (lower(coalesce(data ->> 'kontakt_key', data ->> 'canonical_key'))) text_bloom_ops (n_distinct_per_range = 140, false_positive_rate = 0.005),
  (kontakt_key_hint(data ->> 'email')) text_bloom_ops (n_distinct_per_range = 280),
  (kontakt_key_hint(data ->> 'phone')) text_bloom_ops (n_distinct_per_range = 280)
) with (pages_per_range = 12, autosummarize = on);

create table event_cursors (
  cursor bigint not null,
  log_id bigint not null,
  sequenced_at instant not null default clock_timestamp(),
  event_type text not null,
  primary key (cursor)
) partition by range (cursor);
comment on table event_cursors is 'The feed: the cursor of every event, in the order in which events became visible. A cursor whose event was erased stays, and points at nothing.';
comment on column event_cursors.cursor is 'Position in the feed; ascending, with gaps where a partition was closed early.';
comment on column event_cursors.log_id is 'The event. Unique in each partition.';
comment on column event_cursors.sequenced_at is 'When the event got its cursor; retention counts from here.';

-- GET /events?types= and subscriptions that lag behind: each type in cursor order.
create index event_cursors_type_idx on event_cursors (event_type, cursor);

create table feed (
  only_row boolean primary key default true check (only_row),
  -- Far enough below 2^53, where JSON's numbers stop being exact, for all cursors to come.
  head_floor bigint not null default 0 check (head_floor between 0 and 9000000000000000),
  horizon bigint not null default 0 check (horizon between 0 and 9000000000000000),
  identity text
);
comment on table feed is 'One row: the bounds of the feed. A process that gives out cursors locks it, and does not update it.';
comment on column feed.head_floor is 'The head is the greatest cursor, or this where it is greater: after a partition was closed early or the feed was advanced.';
comment on column feed.horizon is 'The highest expired cursor.';
comment on column feed.identity is 'The database that gave out the cursors, see database_identity. In another one the feed advances first.';

insert into feed default values;

create table feed_floor (
  only_row boolean primary key default true check (only_row),
  log_id bigint not null default 0,
  cursor bigint not null default 0,
  late jsonb not null default '[]'
) with (fillfactor = 10);
comment on table feed_floor is 'One row, written about once a second: where a sequencer that knows nothing yet begins to look.';
comment on column feed_floor.log_id is 'Every event up to it has a cursor, or belongs to a transaction that ended without it or is in late.';
comment on column feed_floor.cursor is 'Cursors of events above log_id are above it.';
comment on column feed_floor.late is 'Transactions that ran for long: xid, and the log_id and cursor from which to look again when it has ended. One that has ended has xid 0: up to there it was looked for.';

insert into feed_floor default values;

create view feed_settled as
select least(feed_floor.log_id, min((late.mark ->> 'log_id')::bigint)) as log_id,
  least(feed_floor.cursor, min((late.mark ->> 'cursor')::bigint)) as cursor
from feed_floor
left join lateral jsonb_array_elements(feed_floor.late) as late (mark) on true
group by feed_floor.only_row;
comment on view feed_settled is 'Every event up to log_id has a cursor or never gets one; cursors of events above it are above cursor.';

-- Read by every writer and switched now and then. A sequence, because switching a row leaves a dead version each time.
create sequence feed_wake minvalue 0 maxvalue 1 start 0;
comment on sequence feed_wake is 'last_value 1: the sequencer wants to be woken by every commit. 0: events come so often that it looks by itself.';

-- A sequence for the same reason. Streams, and processes that do not sequence, set it ahead again and again.
create sequence feed_watch minvalue 0 start 0;
comment on sequence feed_watch is 'last_value: up to which second, as a unix time, the sequencer is to notify others of every batch.';

create view feed_partitions as
select parent.relname::text as parent, child.oid::regclass as partition,
  (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'FROM \(''(\d+)''\)'))[1]::bigint as first,
  (regexp_match(pg_get_expr(child.relpartbound, child.oid), 'TO \(''(\d+)''\)'))[1]::bigint - 1 as last
from pg_inherits
join pg_class as child on child.oid = pg_inherits.inhrelid
join pg_class as parent on parent.oid = pg_inherits.inhparent
where pg_inherits.inhparent in ('events'::regclass, 'event_cursors'::regclass);
comment on view feed_partitions is 'The partitions of events and event_cursors with the first and last number each can hold.';

create view feed_state as
select feed.horizon,
  greatest(feed.head_floor, (select event_cursors.cursor from event_cursors order by event_cursors.cursor desc limit 1)) as head
from feed;
comment on view feed_state is 'The bounds of the feed: its head is the last cursor given out, its horizon the highest expired one.';

create view feed_events as
select event_cursors.cursor, event_cursors.sequenced_at, events.id, events.event_type, events.schema_version,
  events.occurred_at, events.object_type, events.object_id, events.links, events.data
from event_cursors
join events on events.log_id = event_cursors.log_id;
comment on view feed_events is 'The feed as GET /events gives it, with the moment each event got its cursor.';

-- Partitions of events that nothing points to and nothing comes into any more. Each look finds its first row along an index.
create view finished_log_partitions as
select feed_partitions.partition, feed_partitions.first
from feed_partitions
cross join feed_settled
where feed_partitions.parent = 'events'
  and feed_partitions.last <= (select events_log_id_seq.last_value from events_log_id_seq)
  and coalesce((
    select event_cursors.log_id from event_cursors
    where event_cursors.log_id >= feed_partitions.first order by event_cursors.log_id limit 1) > feed_partitions.last, true)
  -- Up to there every event has had its cursor.
  and (
    select events.log_id from events
    where events.log_id >= feed_partitions.first and events.log_id <= feed_partitions.last and events.log_id > feed_settled.log_id
    order by events.log_id limit 1) is null;
comment on view finished_log_partitions is 'Partitions of events of which every event has had a cursor and has expired; prune_log drops them.';

create type log_look as (head bigint, log_ids bigint[], newest_log_id bigint, xmax bigint, running bigint[], scanned_to bigint);
comment on type log_look is 'What look_at_log saw: the head, the events that wait for a cursor, the newest event there is, the transactions that were running, and up to where it looked if that is not to the end.';

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
