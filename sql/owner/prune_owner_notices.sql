-- Forgets notices that nobody has accepted for a day, or that nobody asked for.
--
-- Reads the whole table: there are three rows per failing subscription.
prepare prune_owner_notices as
delete from owner_notices
where owner_notices.created_at <= now() - interval '1 day'
returning owner_notices.id;
