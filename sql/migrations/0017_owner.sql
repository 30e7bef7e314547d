-- The owner's side: who is signed in to the dashboard, and what the owner has yet to be told.

create table owner_sessions (
  digest bytea primary key check (length(digest) = 32),
  created_at instant not null default now(),
  used_at instant not null default now()
);
comment on table owner_sessions is 'Sessions of the dashboard. The token itself is only in the browser’s cookie.';
comment on column owner_sessions.digest is 'HMAC-SHA256 of the token under the hash of the password: with another password nobody is signed in.';
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
