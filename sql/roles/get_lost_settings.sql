-- Which of some settings have another value in this session than the one wanted: a pooler dropped what the session
-- asked for, and its role does not bring it along.
--
-- $1 names
-- $2 values   as the server shows them
prepare get_lost_settings (text[], text[]) as
select array(
  select wanted.name
  from unnest($1, $2) as wanted (name, value)
  where current_setting(wanted.name) <> wanted.value
  order by wanted.name
) as names;
