-- A session of the dashboard that has ended neither by idleness nor by age.
--
-- $1 digest            hex
-- $2 idle_seconds_max
-- $3 age_seconds_max
--
-- @uses owner_sessions_pkey
prepare get_owner_session (text, integer, integer) as
select owner_sessions.used_at <= now() - interval '1 minute' as stale
from owner_sessions
where owner_sessions.digest = decode($1, 'hex')
  and owner_sessions.used_at > now() - make_interval(secs => $2)
  and owner_sessions.created_at > now() - make_interval(secs => $3);
