-- Who it is that an identity stands for, in any spelling: their keys, how many leads they have, and the newest of
-- those. No row where it is no identity. Without a look into the feed: get_kontakt_holdings has what else is stored.
--
-- $1 identity
-- $2 row_limit
--
-- @planned with values: of a person, whose rows are found by keys
-- @not_null canonical_key: the function returns no row without it
-- @not_null keys, shared_keys, lead_count, leads: empty, not null
prepare get_kontakt_leads (text, integer) as
select canonical_key, keys, shared_keys, lead_count, leads
from kontakt_leads($1, $2);
