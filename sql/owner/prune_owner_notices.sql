-- Forgets notices that are 30 days old, and those of a day ago that went nowhere because no address was set up.
--
-- Reads the whole table: there are three rows per failing subscription.
prepare prune_owner_notices as
delete from owner_notices
where owner_notices.created_at <= now() - interval '30 days'
  or (owner_notices.attempts = 0 and owner_notices.created_at <= now() - interval '1 day')
returning owner_notices.id;
