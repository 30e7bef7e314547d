-- API keys and the counts that hold each key to its rate limit.

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
  revoked_at instant
);
comment on table api_keys is 'API keys of the workspace. The key itself is shown once and never stored.';
comment on column api_keys.prefix is 'The first 12 characters of the key, to tell keys apart.';
comment on column api_keys.digest is 'SHA-256 of the whole key. It holds 256 random bits, so a fast hash is enough.';
comment on column api_keys.last_used_at is 'Written in batches, so up to a minute behind.';
comment on column api_keys.expires_at is 'From this moment on the key is unknown; null: never.';
comment on column api_keys.revoked_at is 'From this moment on the key is unknown; null: live.';

-- Requests granted per key in the last 61 seconds, as running totals by second. Unlogged: a crash forgets at most
-- a minute of counting, and a logged table would cost a flush to disk per request.
create unlogged table rate_windows (
  key_id uuid primary key,
  seconds bigint[] not null,
  totals bigint[] not null,
  expired bigint not null,
  granted integer not null
) with (fillfactor = 50);
comment on table rate_windows is 'Rate limit: requests granted to a key. Forgotten by a crash, on purpose.';
comment on column rate_windows.seconds is 'Unix seconds in which requests were granted, ascending, at most 61.';
comment on column rate_windows.totals is 'By second: requests granted up to its end, since the row was made.';
comment on column rate_windows.expired is 'Requests granted before the oldest of the seconds.';
comment on column rate_windows.granted is 'Requests granted by the last statement.';
