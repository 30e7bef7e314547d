-- The same page as list_kontakte gives, each contact with its record as get_haushalt gives it.
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
-- @not_null haushalt: json_build_object is never null
-- @not_null updated_at, vertraege_anzahl, luecken_nach_stufe: from columns that are not null, through a view
prepare list_kontakte_with_haushalt (timestamptz, integer, integer) as
with listed as (
  select listed_haushalte.kontakt_key, listed_haushalte.vertraege_anzahl, listed_haushalte.luecken_nach_stufe,
    listed_haushalte.params_version, listed_haushalte.haushalt, listed_haushalte.provenance,
    listed_haushalte.din_check, listed_haushalte.empfehlungen_aktuell, listed_haushalte.updated_at
  from listed_haushalte
  where ($1 is null or listed_haushalte.updated_at >= $1)
  order by listed_haushalte.updated_at desc, listed_haushalte.kontakt_key
  limit $2
  offset $3
)
select kontakt.canonical_key as kontakt_key, listed.vertraege_anzahl, listed.luecken_nach_stufe, listed.params_version,
  moment(listed.updated_at) as updated_at,
  json_build_object('kontakt_key', listed.kontakt_key, 'canonical_key', kontakt.canonical_key,
    'aliases', array(
      select kontakt_aliases.alias_key
      from kontakt_aliases
      where kontakt_aliases.canonical_key = kontakt.canonical_key
      order by kontakt_aliases.alias_key
    ),
    'haushalt', listed.haushalt, 'provenance', listed.provenance, 'din_check', listed.din_check,
    'empfehlungen_aktuell', listed.empfehlungen_aktuell, 'updated_at', moment(listed.updated_at)) as haushalt
from listed
cross join lateral (
  select coalesce((
    select kontakt_aliases.canonical_key from kontakt_aliases where kontakt_aliases.alias_key = listed.kontakt_key
  ), listed.kontakt_key) as canonical_key
) as kontakt
order by listed.updated_at desc, listed.kontakt_key;
