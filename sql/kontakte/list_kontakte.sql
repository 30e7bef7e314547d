-- One page of contacts with a household record, last changed first. Merged-away keys are not listed: a record that
-- stands under an alias is shown under the surviving key, if it is the one that get_haushalt answers with.
--
-- $1 updated_since?  only records that changed at this moment or later; null: all
-- $2 row_limit
-- $3 row_offset
--
-- @planned with values
-- @replica answers
-- @uses haushalte_updated_idx
-- @uses kontakt_aliases_pkey: to tell aliases
-- @uses kontakt_aliases_canonical_idx, haushalte_pkey: for those
-- @not_null kontakt_key: coalesce ends with the key of the record
-- @not_null updated_at, vertraege_anzahl, luecken_nach_stufe: from columns that are not null, through a view
prepare list_kontakte (timestamptz, integer, integer) as
with listed as (
  select listed_haushalte.kontakt_key, listed_haushalte.vertraege_anzahl, listed_haushalte.luecken_nach_stufe,
    listed_haushalte.params_version, listed_haushalte.updated_at
  from listed_haushalte
  where ($1 is null or listed_haushalte.updated_at >= $1)
  order by listed_haushalte.updated_at desc, listed_haushalte.kontakt_key
  limit $2
  offset $3
)
-- Of the page alone, not of the rows before it.
select
  coalesce((
    select kontakt_aliases.canonical_key from kontakt_aliases where kontakt_aliases.alias_key = listed.kontakt_key
  ), listed.kontakt_key) as kontakt_key,
  listed.vertraege_anzahl, listed.luecken_nach_stufe, listed.params_version, moment(listed.updated_at) as updated_at
from listed
order by listed.updated_at desc, listed.kontakt_key;
