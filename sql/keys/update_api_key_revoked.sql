-- Revokes the keys that the text names: an id, a prefix, or the digest of the key. Answers those revoked now.
--
-- $1 id?     null where the text is no UUID
-- $2 prefix? null where the text is no prefix
-- $3 digest? hex; null where the text is no key
--
-- Reads the whole table: a workspace has tens of keys.
prepare update_api_key_revoked (uuid, text, text) as
update api_keys
set revoked_at = now()
where revoked_at is null
  and (id = $1 or prefix = $2 or digest = decode($3, 'hex'))
returning id, prefix, label;
