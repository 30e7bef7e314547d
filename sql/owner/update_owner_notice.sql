-- Notes what came of an attempt. Without an error class it was accepted.
--
-- $1 id
-- $2 status?
-- $3 error_class?
--
-- @uses owner_notices_pkey
prepare update_owner_notice (uuid, integer, text) as
update owner_notices
set status = $2, error_class = $3, sent_at = case when $3 is null then now() end
where owner_notices.id = $1
returning owner_notices.id;
