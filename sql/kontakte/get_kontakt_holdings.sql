-- What is stored of the person an identity stands for, in any spelling: their keys, how many rows of each table, and
-- which subscriptions have received events about them. No row where nothing is stored.
-- shared_keys are keys of their leads that another person carries too: what is stored under those alone is not theirs.
--
-- $1 identity
--
-- @not_null canonical_key, keys, shared_keys, other_leads, counts, recipients: the function returns no row without them
prepare get_kontakt_holdings (text) as
select canonical_key, keys, shared_keys, other_leads, counts, recipients
from kontakt_holdings($1);
