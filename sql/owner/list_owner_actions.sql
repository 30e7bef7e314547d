-- What the owner did last, newest first, with the name that the key or the webhook had then.
--
-- $1 row_limit
--
-- @uses owner_actions_pkey
prepare list_owner_actions (integer) as
select owner_actions.at, owner_actions.action, owner_actions.subject, owner_actions.client, owner_actions.name
from owner_actions
order by owner_actions.id desc
limit $1;
