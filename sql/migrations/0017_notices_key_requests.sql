-- Notices to the owner go by webhook and by e-mail, each on its own; where to is stored; what came of them stays for a while.
-- What keys asked for is shared by all processes.
-- Locks only a table of few rows.

alter table owner_notices
  alter column subscription_id drop not null,
  alter column failures drop not null,
  add column channel text not null default 'webhook' check (channel = any (array['webhook', 'email'])),
  add column attempts integer not null default 0,
  add column sent_at instant,
  add column status integer,
  add column error_class text,
  add check ((subscription_id is null) = (failures is null));
alter table owner_notices alter column channel drop default;
comment on table owner_notices is 'Notices to the owner, one row for each way: a subscription reached so many failures in a row, or the owner asked for a test. Tried for a day, kept for 30.';
comment on column owner_notices.subscription_id is 'Null, like failures: a test.';
comment on column owner_notices.sent_at is 'When it was accepted; null: not yet, or never.';
comment on column owner_notices.status is 'What the receiver or the mail server answered last.';
comment on column owner_notices.error_class is 'Why the last attempt failed; null: it was accepted, or there was none.';
create index owner_notices_created_idx on owner_notices (created_at);

create table notice_settings (
  only_row boolean primary key default true check (only_row),
  webhook_url text,
  mail_to text,
  language text check (language = any (array['de', 'en']))
);
comment on table notice_settings is 'One row: where notices to the owner go, as entered in the dashboard. Null: as the settings of the process say.';
comment on column notice_settings.webhook_url is 'May hold a token.';
comment on column notice_settings.mail_to is 'Personal: addresses of the owner, separated by commas.';
comment on column notice_settings.language is 'Of the e-mails.';
insert into notice_settings default values;

-- What each key asked for lately, over all processes. Unlogged like rate_windows: the log has it all, and a crash of the server
-- forgets no more than this list.
create unlogged table key_requests (
  key_id uuid not null,
  id bigint generated always as identity,
  at instant not null,
  request_id text not null,
  method text not null,
  route text not null,
  tool text,
  status integer not null,
  duration_ms integer not null,
  primary key (key_id, id)
);
comment on table key_requests is 'The last requests of each key, about 30, for 30 days at most: the route’s pattern, no query, no content, no address.';
comment on column key_requests.tool is 'Of a call of a tool.';

create unlogged table key_request_counts (
  key_id uuid not null,
  hour instant not null,
  requests integer not null,
  primary key (key_id, hour)
);
comment on table key_request_counts is 'Requests of each key by hour, for a day.';
