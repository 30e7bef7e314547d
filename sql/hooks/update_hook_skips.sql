-- Remembers how far ranges are caught up with, and how far they may be sent. One that is through goes. A row for each
-- whose subscription is still the worker's own.
--
-- $1 nos
-- $2 fences
-- $3 to_cursors
-- $4 from_cursors
-- $5 claimed_to
--
-- @uses hook_positions_pkey, hook_skips_pkey
prepare update_hook_skips (integer[], integer[], bigint[], bigint[], bigint[]) as
with moved as materialized (
  select hook_positions.no, moved.to_cursor, moved.from_cursor, moved.claimed_to
  from unnest($1, $2, $3, $4, $5) as moved (no, fence, to_cursor, from_cursor, claimed_to)
  join hook_positions on hook_positions.no = moved.no and hook_positions.fence = moved.fence
  where hook_positions.no = any ($1)
  order by hook_positions.no
  -- Waits for an erasure, whose report has the claims of before.
  for key share of hook_positions
),
ended as (
  delete from hook_skips
  using moved
  where hook_skips.no = moved.no and hook_skips.to_cursor = moved.to_cursor and hook_skips.catching_up
    and moved.from_cursor >= moved.to_cursor
),
remembered as (
  update hook_skips
  set from_cursor = moved.from_cursor, claimed_to = moved.claimed_to
  from moved
  where hook_skips.no = moved.no and hook_skips.to_cursor = moved.to_cursor and hook_skips.catching_up
    and moved.from_cursor < moved.to_cursor
)
select moved.no
from moved;
