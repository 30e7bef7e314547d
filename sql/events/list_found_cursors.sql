-- Cursors of the events that a text is about, the newest first; see find_events.
--
-- $1 searched
-- $2 log_max    an id of an event is looked for among so many of the newest
-- $3 row_limit
--
-- find_events stands in a select of its own: the planner calls a stable function to see how many elements unnest()
-- gets, and would find all of them twice.
--
-- @not_null cursor: an array without nulls
prepare list_found_cursors (text, bigint, integer) as
select about.cursor
from unnest((select find_events($1, $2))) as about (cursor)
order by about.cursor desc
limit $3;
