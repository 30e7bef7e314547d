-- Forgets a notice that was accepted.
--
-- $1 id
--
-- Uses owner_notices_pkey.
prepare delete_owner_notice (uuid) as
delete from owner_notices
where owner_notices.id = $1
returning owner_notices.id;
