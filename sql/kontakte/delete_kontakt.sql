-- Erases all that is stored of the person an identity stands for, in any spelling, and returns what went and which
-- subscriptions had received events about them. No row where nothing was stored.
-- Locks the feed's row while events go, so cursors are given out afterwards. Fails with 40P01 when a writer merges
-- contacts late in a transaction that holds rows of the person; try again.
--
-- $1 identity
--
-- @not_null canonical_key, keys, shared_keys, other_leads, counts, recipients: the function returns no row without them
prepare delete_kontakt (text) as
select canonical_key, keys, shared_keys, other_leads, counts, recipients
from erase_kontakt($1);
