-- The event feed. Triggers put events into event_outbox inside the writer's transaction, without a cursor:
-- a number drawn at insert becomes visible at commit, and a reader would skip what commits late. The
-- sequencer moves visible rows into events and gives them cursors, one at a time, under the lock of feed's row.

-- The seventeen event types with the version of their payload.
create table event_types (
  event_type text primary key,
  schema_version text not null,
  position smallint not null unique
);
comment on table event_types is 'The event types there are, in the order of the contract, and their schema_version.';

insert into event_types (position, event_type, schema_version) values
  (1, 'lead.created', '1'),
  (2, 'lead.stage_changed', '1'),
  (3, 'lead.archived', '1'),
  (4, 'analysis.completed', '2'),
  (5, 'din.check_completed', '1'),
  (6, 'haushalt.updated', '1'),
  (7, 'kontakt.merged', '1'),
  (8, 'appointment.scheduled', '1'),
  (9, 'appointment.cancelled', '1'),
  (10, 'appointment.updated', '1'),
  (11, 'meeting.intelligence_ready', '1'),
  (12, 'meeting.intelligence_failed', '1'),
  (13, 'advisory_doc.approved', '1'),
  (14, 'advisory_doc.sent', '1'),
  (15, 'signal.opened', '1'),
  (16, 'signal.status_changed', '1'),
  (17, 'signal.outcome_recorded', '1');

create table event_outbox (
  -- Cache 1: within one transaction ids follow the order of the changes, and the sequencer keeps it.
  outbox_id bigint generated always as identity (cache 1) primary key,
  id uuid not null default gen_random_uuid(),
  event_type text not null,
  schema_version text not null,
  occurred_at instant not null default clock_timestamp(),
  object_type text not null,
  object_id text not null,
  links jsonb not null,
  data jsonb not null
) with (
  -- Emptied all the time: without early vacuum the sequencer would wade through dead rows.
  autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0
);
comment on table event_outbox is 'Events on their way into the feed. Written by triggers, emptied by the sequencer.';
comment on column event_outbox.outbox_id is 'Order of the changes within one transaction. No cursor: it becomes visible out of order.';
comment on column event_outbox.data is 'Personal: the payload.';

create table events (
  cursor bigint not null,
  sequenced_at instant not null default clock_timestamp(),
  id uuid not null,
  event_type text not null,
  schema_version text not null,
  occurred_at instant not null,
  object_type text not null,
  object_id text not null,
  links jsonb not null,
  data jsonb not null,
  primary key (cursor)
) partition by range (cursor);
comment on table events is 'The feed: every event in the order it became visible. Partitioned by cursor, dropped by whole partitions.';
comment on column events.cursor is 'Position in the feed; ascending, with gaps where a partition was closed early.';
comment on column events.sequenced_at is 'When the event got its cursor; retention counts from here.';
comment on column events.data is 'Personal: the payload.';

-- GET /events?types=: each type in cursor order.
create index events_type_idx on events (event_type, cursor);

create table feed (
  only_row boolean primary key default true check (only_row),
  head bigint not null default 0,
  horizon bigint not null default 0,
  idle boolean not null default false,
  check (horizon <= head)
) with (fillfactor = 10);
comment on table feed is 'One row: the state of the feed. Whoever gives out cursors locks it.';
comment on column feed.head is 'The last cursor given out.';
comment on column feed.horizon is 'The highest expired cursor.';
comment on column feed.idle is 'Whether the sequencer sleeps and wants to be woken by a notification.';
insert into feed default values;

-- Cursors per partition. A day of a busy workspace fits into one, and a read of a rare type opens few of them.
create function events_partition_width() returns bigint
  language sql immutable parallel safe
  return 10000000;
comment on function events_partition_width is 'How many cursors a partition of events holds.';

-- The partition that holds a cursor, made if it is not there. Attached, not created as a partition: that
-- way readers and the sequencer go on meanwhile.
create function make_events_partition(wanted bigint) returns text
  language plpgsql set search_path = public, pg_temp as $$
declare
  lower_bound constant bigint := (wanted - 1) / events_partition_width() * events_partition_width() + 1;
  upper_bound constant bigint := lower_bound + events_partition_width();
  partition constant text := 'events_' || lower_bound;
begin
  perform pg_advisory_xact_lock(hashtext('make_events_partition'));
  if to_regclass(partition) is null then
    execute format('create table %I (like events including defaults including constraints including comments, check (cursor >= %s and cursor < %s))', partition, lower_bound, upper_bound);
    execute format('alter table events attach partition %I for values from (%s) to (%s)', partition, lower_bound, upper_bound);
    execute format('alter table %I drop constraint %I', partition, partition || '_cursor_check');
  end if;
  return partition;
end
$$;
comment on function make_events_partition is 'Makes the partition of events that holds a cursor, unless it exists; returns its name.';

-- Made ahead, like all that follow.
select make_events_partition(1), make_events_partition(1 + events_partition_width());
