-- Every key of the contact that an identity stands for, in any spelling: the surviving one, then its aliases. No row
-- where the text is no identity.
--
-- $1 identity
--
-- @replica answers
-- @uses kontakt_aliases_pkey, kontakt_aliases_canonical_idx
-- @not_null kontakt_keys: of a key that is not null
prepare resolve_kontakt_keys (text) as
with asked as materialized (
  select canonical_kontakt_key($1) as kontakt_key
)
select asked.kontakt_key || array(
  select kontakt_aliases.alias_key
  from kontakt_aliases
  where kontakt_aliases.canonical_key = asked.kontakt_key
) as kontakt_keys
from asked
where asked.kontakt_key is not null;
