-- The last notices to the owner, newest first, with what came of them.
--
-- $1 row_limit
--
-- @uses owner_notices_created_idx
prepare list_owner_notices (integer) as
select id, created_at, sent_at, error_class
from owner_notices
order by created_at desc, id desc
limit $1;
