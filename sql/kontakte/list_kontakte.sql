-- One page of contacts with a household record, last changed first. Merged-away keys are not listed.
--
-- $1 row_limit
-- $2 row_offset
--
-- Uses haushalte_updated_idx, and kontakt_aliases_pkey to leave out aliases.
prepare list_kontakte (integer, integer) as
select kontakt_key, vertraege_anzahl, luecken_nach_stufe, params_version, updated_at
from haushalte
where not exists (
  select from kontakt_aliases
  where kontakt_aliases.alias_key = haushalte.kontakt_key
)
order by haushalte.updated_at desc, haushalte.kontakt_key
limit $1
offset $2;
