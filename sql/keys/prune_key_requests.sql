-- Of each of these keys keeps the last requests only.
--
-- $1 key_ids
-- $2 rows_max  of one key
--
-- @uses key_requests_pkey
prepare prune_key_requests (uuid[], integer) as
delete from key_requests
using unnest($1) as used (key_id)
where key_requests.key_id = used.key_id
  -- By time: of two processes one writes later what it answered sooner.
  and (key_requests.at, key_requests.id) < (
    select kept.at, kept.id
    from key_requests as kept
    where kept.key_id = used.key_id
    order by kept.at desc, kept.id desc
    offset $2 - 1
    limit 1)
returning key_requests.id;
