-- Notes when keys were last used: one statement a minute for all of them, never one per request.
--
-- $1 ids
-- $2 used_at  one moment per id
--
-- @uses api_keys_pkey
prepare update_api_keys_last_used (uuid[], timestamptz[]) as
update api_keys
set last_used_at = used.used_at
from unnest($1, $2) as used (id, used_at)
where api_keys.id = used.id
  and (api_keys.last_used_at is null or api_keys.last_used_at < used.used_at);
