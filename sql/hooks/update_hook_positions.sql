-- Remembers how far the worker of some subscriptions is, and how far it may send. A row for each that is still its own:
-- of the others another process has taken over, or the owner of the workspace has changed something.
-- Under one fence its worker alone moves a position; one that is further was written by hand, and would skip
-- events, or comes from a save that was given up and arrived late.
--
-- $1 nos
-- $2 fences
-- $3 cursors
-- $4 claimed_to
--
-- @uses hook_positions_pkey
prepare update_hook_positions (integer[], integer[], bigint[], bigint[]) as
with moved as materialized (
  select hook_positions.no, moved.cursor, moved.claimed_to, hook_positions.cursor as stored
  from unnest($1, $2, $3, $4) as moved (no, fence, cursor, claimed_to)
  join hook_positions on hook_positions.no = moved.no and hook_positions.fence = moved.fence
  where hook_positions.no = any ($1)
  -- In the order of all who lock several.
  order by hook_positions.no
  for no key update of hook_positions
)
update hook_positions
set cursor = moved.cursor, claimed_to = greatest(moved.claimed_to, moved.cursor)
from moved
where hook_positions.no = any ($1) and hook_positions.no = moved.no
returning hook_positions.no, moved.stored > moved.cursor as was_ahead;
