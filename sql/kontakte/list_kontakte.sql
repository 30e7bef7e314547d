-- One page of contacts with a household record, last changed first. Merged-away keys are not listed: a record that
-- stands under an alias is shown under the surviving key, if it is the one that get_haushalt answers with.
--
-- $1 row_limit
-- $2 row_offset
--
-- @planned with values
-- @replica answers
-- @uses haushalte_updated_idx
-- @uses kontakt_aliases_pkey: to tell aliases
-- @uses kontakt_aliases_canonical_idx, haushalte_pkey: for those
-- @not_null kontakt_key: coalesce ends with the key of the record
prepare list_kontakte (integer, integer) as
with listed as (
  select haushalte.kontakt_key, haushalte.vertraege_anzahl, haushalte.luecken_nach_stufe, haushalte.params_version, haushalte.updated_at
  from haushalte
  where not exists (
    select from kontakt_aliases
    where kontakt_aliases.alias_key = haushalte.kontakt_key
      and (
        exists (select from haushalte as preferred where preferred.kontakt_key = kontakt_aliases.canonical_key)
        or exists (
          select from kontakt_aliases as siblings
          join haushalte as preferred on preferred.kontakt_key = siblings.alias_key
          where siblings.canonical_key = kontakt_aliases.canonical_key
            and (preferred.updated_at > haushalte.updated_at
              or preferred.updated_at = haushalte.updated_at and preferred.kontakt_key < haushalte.kontakt_key)
        )
      )
  )
  order by haushalte.updated_at desc, haushalte.kontakt_key
  limit $1
  offset $2
)
-- Of the page alone, not of the rows before it.
select
  coalesce((select kontakt_aliases.canonical_key from kontakt_aliases where kontakt_aliases.alias_key = listed.kontakt_key), listed.kontakt_key) as kontakt_key,
  listed.vertraege_anzahl, listed.luecken_nach_stufe, listed.params_version, listed.updated_at
from listed
order by listed.updated_at desc, listed.kontakt_key;
