-- What these keys asked for in 24 hours, by hour and outcome, the oldest hour first.
--
-- $1 key_ids
--
-- @uses key_usage_pkey
prepare list_key_usage (uuid[]) as
select key_usage.key_id, key_usage.hour, key_usage.code, key_usage.requests, key_usage.last_at, key_usage.last_route
from key_usage
where key_usage.key_id = any ($1) and key_usage.hour > now() - interval '24 hours'
order by key_usage.hour, key_usage.key_id, key_usage.code;
