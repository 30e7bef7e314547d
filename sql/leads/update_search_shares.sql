-- Counts anew how common parts of texts are among leads, in a sample: search_leads decides by it.
--
-- @uses search_shares_pkey
prepare update_search_shares as
select refresh_search_shares() as refreshed;
