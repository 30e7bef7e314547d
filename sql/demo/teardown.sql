-- Removes the generator of the demo rows. The rows it made stay.
drop schema if exists demo cascade;
-- The planner must know the new rows before the first request.
analyze;
