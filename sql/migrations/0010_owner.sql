-- The owner's side: who is signed in to the dashboard, notices and where they go.

create table owner_sessions (
  digest bytea primary key check (length(digest) = 32),
  created_at instant not null default now(),
  used_at instant not null default now()
);
comment on table owner_sessions is 'Sessions of the dashboard. The token itself is only in the browser’s cookie.';
comment on column owner_sessions.digest is
  'HMAC-SHA256 of the token under the hash of the password: with another password no session is valid.';
comment on column owner_sessions.used_at is 'Written once a minute at most.';

create table owner_notices (
  id uuid primary key default gen_random_uuid(),
  subscription_id uuid,
  failures integer,
  created_at instant not null default now(),
  due_at instant not null default now(),
  attempts integer not null default 0,
  sent_at instant,
  error_class text,
  check ((subscription_id is null) = (failures is null))
);
comment on table owner_notices is
  'Notices to the owner by e-mail: a subscription reached so many failures in a row, or the owner asked for a '
  'test. Tried for a day, kept for 30.';
comment on column owner_notices.subscription_id is 'Null, like failures: a test.';
comment on column owner_notices.due_at is 'When it is sent, or sent again: moved on before each attempt.';
comment on column owner_notices.sent_at is 'When it was accepted; null: not yet, or never.';
comment on column owner_notices.error_class is 'Why the last attempt failed; null: it was accepted, or there was none.';
create index owner_notices_created_idx on owner_notices (created_at);

create table notice_settings (
  only_row boolean primary key default true check (only_row),
  mail_to text,
  language text check (language = any (array['de', 'en']))
);
comment on table notice_settings is
  'One row: where notices to the owner go, as entered in the dashboard. Null: as the settings of the process say.';
comment on column notice_settings.mail_to is 'Personal: addresses of the owner, separated by commas.';
insert into notice_settings default values;
