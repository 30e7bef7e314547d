-- Stores a new key: never the key itself, only its digest.
--
-- $1 prefix
-- $2 digest      SHA-256 of the key, hex
-- $3 label
-- $4 scopes
-- $5 expires_at? null: never
prepare insert_api_key (text, text, text, text[], timestamptz) as
insert into api_keys (prefix, digest, label, scopes, expires_at, lifetime)
values ($1, decode($2, 'hex'), $3, $4, $5, $5 - now())
returning id;
