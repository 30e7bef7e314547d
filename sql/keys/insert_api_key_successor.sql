-- Stores the successor of a live key, with its label, scopes and lifetime, and lets the old one end at a moment,
-- unless it ends before. No row: no live key has this id.
--
-- $1 id       of the old key
-- $2 ends_at  when the old key ends
-- $3 prefix
-- $4 digest   SHA-256 of the new key, hex
--
-- @uses api_keys_pkey
prepare insert_api_key_successor (uuid, timestamptz, text, text) as
with before as (
  select api_keys.id, api_keys.label, api_keys.scopes, api_keys.lifetime
  from api_keys
  where api_keys.id = $1 and api_keys.revoked_at is null
    and (api_keys.expires_at is null or api_keys.expires_at > now())
  for update
),
ended as (
  update api_keys
  set expires_at = least(api_keys.expires_at, $2)
  from before
  where api_keys.id = before.id
)
insert into api_keys (prefix, digest, label, scopes, expires_at, lifetime)
select $3, decode($4, 'hex'), before.label, before.scopes, now() + before.lifetime, before.lifetime
from before
returning id;
