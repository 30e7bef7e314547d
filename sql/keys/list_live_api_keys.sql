-- The keys that are valid now, for the memory of every process.
--
-- $1 at?  null: the database clock
--
-- Reads the whole table: a workspace has tens of keys.
prepare list_live_api_keys (timestamptz) as
select id, encode(digest, 'hex') as digest, scopes, expires_at
from api_keys
where revoked_at is null
  and (expires_at is null or expires_at > coalesce($1, now()))
order by id;
