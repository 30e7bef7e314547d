-- Every key with its state, newest first, for the owner.
--
-- Reads the whole table: a workspace has tens of keys.
prepare list_api_keys as
select id, prefix, label, scopes, created_at, last_used_at, expires_at, revoked_at
from api_keys
order by created_at desc, id desc;
