-- The owner's side: who is signed in to the dashboard, which notices the owner has yet to get, how far the command redact is.

create table owner_sessions (
  digest bytea primary key check (length(digest) = 32),
  created_at instant not null default now(),
  used_at instant not null default now()
);
comment on table owner_sessions is 'Sessions of the dashboard. The token itself is only in the browser’s cookie.';
comment on column owner_sessions.digest is 'HMAC-SHA256 of the token under the hash of the password: with another password no session is valid.';
comment on column owner_sessions.used_at is 'Written once a minute at most.';

create table owner_notices (
  id uuid primary key default gen_random_uuid(),
  subscription_id uuid not null,
  failures integer not null,
  created_at instant not null default now(),
  due_at instant not null default now()
);
comment on table owner_notices is 'Notices to OWNER_WEBHOOK_URL that have not been accepted: a subscription reached so many failures in a row. Kept for a day.';
comment on column owner_notices.due_at is 'When it is sent, or sent again: moved on before each attempt.';

-- How far the command redact has come, so that an interrupted run goes on where it was. A changed rule
-- empties it (sql/functions/income/triggers.sql).
create table redaction_progress (
  table_name text primary key,
  after_key text not null,
  seen bigint not null,
  changed bigint not null
);
comment on table redaction_progress is 'How far an interrupted run of the command redact has come; empty when none is.';
comment on column redaction_progress.table_name is 'The table it is about.';
comment on column redaction_progress.after_key is 'Personal: key of the last row looked at.';
