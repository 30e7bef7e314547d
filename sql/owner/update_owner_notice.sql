-- Notes what came of an attempt. Without an error class it was accepted.
--
-- $1 id
-- $2 error_class?
--
-- @uses owner_notices_pkey
prepare update_owner_notice (uuid, text) as
update owner_notices
set error_class = $2, sent_at = case when $2 is null then now() end
where owner_notices.id = $1
returning owner_notices.id;
