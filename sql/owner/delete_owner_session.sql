-- Signs the owner out.
--
-- $1 digest  hex
--
-- @uses owner_sessions_pkey
prepare delete_owner_session (text) as
delete from owner_sessions
where owner_sessions.digest = decode($1, 'hex')
returning owner_sessions.created_at;
