-- Notes that a session of the dashboard is in use.
--
-- $1 digest  hex
--
-- @uses owner_sessions_pkey
prepare update_owner_session_used (text) as
update owner_sessions
set used_at = now()
where owner_sessions.digest = decode($1, 'hex')
returning owner_sessions.used_at;
