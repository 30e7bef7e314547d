-- Lets a paused subscription receive again, with its count of failures at 0; see reactivate_hook. One row if it was paused.
--
-- $1 id
-- $2 deliver_missed  whether it gets what it missed; else that stays as missed
prepare update_hook_reactivated (uuid, boolean) as
select $1 as id
from reactivate_hook($1, $2) as reactivated
where reactivated;
