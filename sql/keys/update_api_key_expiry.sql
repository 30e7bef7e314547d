-- Lets a live key end at a moment, unless it ends before: its successor is made next, for as long as it was made for.
--
-- $1 id
-- $2 expires_at
--
-- @uses api_keys_pkey
prepare update_api_key_expiry (uuid, timestamptz) as
with before as (
  select api_keys.id, extract(epoch from api_keys.expires_at - api_keys.created_at)::integer as lifetime_seconds
  from api_keys
  where api_keys.id = $1 and api_keys.revoked_at is null and (api_keys.expires_at is null or api_keys.expires_at > now())
  for update
)
update api_keys
set expires_at = least(api_keys.expires_at, $2)
from before
where api_keys.id = before.id
returning api_keys.label, api_keys.scopes, before.lifetime_seconds;
