-- The last requests of a key, newest first.
--
-- $1 key_id
-- $2 row_limit
--
-- @uses key_requests_pkey
prepare list_key_requests (uuid, integer) as
select key_requests.at, key_requests.request_id, key_requests.method, key_requests.route, key_requests.tool,
  key_requests.status,
  key_requests.duration_ms
from key_requests
where key_requests.key_id = $1
order by key_requests.at desc, key_requests.id desc
limit $2;
