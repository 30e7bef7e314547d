-- API keys, the counts that hold each key to its rate limit, and what each asked for lately.

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  prefix text not null,
  digest bytea not null unique check (length(digest) = 32),
  -- No control characters: a list of keys is printed on terminals.
  label text not null check (length(label) between 1 and 200 and label !~ '[[:cntrl:]]'),
  scopes text[] not null check (cardinality(scopes) >= 1 and array_position(scopes, null) is null and scopes <@ array[
    'read:leads', 'read:analyses', 'read:kontakte', 'read:appointments',
    'read:meetings', 'read:signals', 'read:events', 'write:hooks']),
  created_at instant not null default now(),
  last_used_at instant,
  expires_at instant,
  revoked_at instant,
  lifetime interval
);
comment on table api_keys is 'API keys of the workspace. The key itself is shown once and never stored.';
comment on column api_keys.prefix is 'The first 12 characters of the key, to tell keys apart.';
comment on column api_keys.digest is 'SHA-256 of the whole key. It holds 256 random bits, so a fast hash is enough.';
comment on column api_keys.last_used_at is 'Up to a minute behind; a stream counts when it opens.';
comment on column api_keys.expires_at is 'From this moment on the key is unknown; null: never.';
comment on column api_keys.revoked_at is 'From this moment on the key is unknown; null: live.';
comment on column api_keys.lifetime is
  'How long the key was made for; null: without an end. Its successor gets the same.';

-- Requests granted per key in the last 61 seconds, and before each second: a claim adds a second at most, and changes
-- none. Unlogged: a crash forgets at most a minute of counting, and a logged table would cost a flush to disk per
-- request.
create unlogged table rate_windows (
  key_id uuid primary key,
  seconds bigint[] not null,
  granted integer not null,
  earlier bigint[] not null,
  total bigint not null
) with (fillfactor = 50);
comment on table rate_windows is 'Rate limit: requests granted to a key. Forgotten by a crash, on purpose.';
comment on column rate_windows.seconds is 'Unix seconds in which requests were asked for, ascending, at most 61.';
comment on column rate_windows.granted is 'Requests granted by the last statement.';
comment on column rate_windows.earlier is 'By second: requests granted before it, since the row was made.';
comment on column rate_windows.total is 'Requests granted since the row was made.';

-- What each key asked for. Unlogged like rate_windows: a crash of the server forgets a day of counts.
create unlogged table key_usage (
  key_id uuid not null,
  hour instant not null,
  code text not null check (length(code) <= 60),
  requests integer not null,
  last_at instant not null,
  last_route text not null,
  primary key (key_id, hour, code)
);
comment on table key_usage is 'Requests of each key by hour and outcome, for a day.';
comment on column key_usage.code is 'Code of the refusal, or the status where it has none; empty: not refused.';
comment on column key_usage.last_route is 'Method and pattern of the last of them: no query, no content, no address.';
