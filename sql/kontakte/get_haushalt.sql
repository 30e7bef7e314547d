-- The household record of a contact, found by its surviving key or by any alias, spelled exactly.
-- The record is the survivor's; where it was only ever stored under an alias, that one.
--
-- $1 kontakt_key
--
-- @replica answers
-- @uses kontakt_aliases_pkey, kontakt_aliases_canonical_idx, haushalte_pkey
-- @not_null canonical_key: coalesce ends with the parameter, which is never null
-- @not_null aliases: array(select …) is empty, not null
prepare get_haushalt (text) as
with asked as (
  select coalesce((select kontakt_aliases.canonical_key from kontakt_aliases where kontakt_aliases.alias_key = $1), $1) as canonical_key
),
kontakt as (
  select asked.canonical_key,
    array(
      select kontakt_aliases.alias_key
      from kontakt_aliases
      where kontakt_aliases.canonical_key = asked.canonical_key
      order by kontakt_aliases.alias_key
    ) as aliases
  from asked
)
select haushalte.kontakt_key, kontakt.canonical_key, kontakt.aliases, haushalte.haushalt, haushalte.provenance,
  haushalte.din_check, haushalte.empfehlungen_aktuell, haushalte.updated_at
from kontakt
join haushalte on haushalte.kontakt_key = any (kontakt.canonical_key || kontakt.aliases)
order by haushalte.kontakt_key = kontakt.canonical_key desc, haushalte.updated_at desc, haushalte.kontakt_key
limit 1;
