-- How deliveries fare, counted, for the dashboard.
--
-- @needs hooks/health

-- Attempts counted by minute and by hour, so that a page does not count millions. The worker adds what was recorded, once a
-- minute; what is newer is counted when a page asks.
create table hook_health (
  no integer not null,
  unit "char" not null check (unit = any (array['m', 'h']::"char"[])),
  at instant not null,
  outcome "char" not null,
  reason text not null,
  bucket smallint not null,
  attempts integer not null check (attempts > 0),
  first_at instant not null,
  last_at instant not null,
  primary key (no, unit, at, outcome, reason, bucket)
);
comment on table hook_health is 'Attempts by subscription, time, outcome, reason and duration, counted from hook_attempts. Minutes are kept for two hours, hours for 31 days.';
comment on column hook_health.no is 'The subscription, see hook_positions.';
comment on column hook_health.unit is 'm: the row counts a minute. h: an hour.';
comment on column hook_health.at is 'When the minute or the hour begins.';
comment on column hook_health.outcome is 'As in hook_attempts.';
comment on column hook_health.reason is 'Of a failed attempt: the status of the answer, else the error class. Empty: it delivered.';
comment on column hook_health.first_at is 'When the first of these attempts began; last_at: the last.';
comment on column hook_health.bucket is 'How long it took, see duration_bucket.';
create index hook_health_at_idx on hook_health (unit, at);

create table hook_health_state (
  only_row boolean primary key default true check (only_row),
  counted_to instant not null
);
comment on table hook_health_state is 'One row: up to when attempts are counted in hook_health.';
insert into hook_health_state (counted_to) values (now());

create view hook_attempts_counted as
select hook_attempts.no, hook_attempts.started_at, hook_attempts.outcome,
  case when hook_attempts.error_class is null then '' when hook_attempts.error_class = 'status' then hook_attempts.status::text else hook_attempts.error_class end as reason,
  duration_bucket(hook_attempts.duration_ms) as bucket
from hook_attempts
where hook_attempts.cursor > 0;
comment on view hook_attempts_counted is 'Attempts with what hook_health counts them by, but those of test events.';
