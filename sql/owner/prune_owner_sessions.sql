-- Forgets sessions of the dashboard that have ended by idleness or by age.
--
-- $1 idle_seconds_max
-- $2 age_seconds_max
--
-- Reads the whole table: there are as many rows as sign-ins in a few hours.
prepare prune_owner_sessions (integer, integer) as
delete from owner_sessions
where owner_sessions.used_at <= now() - make_interval(secs => $1)
  or owner_sessions.created_at <= now() - make_interval(secs => $2)
returning owner_sessions.created_at;
