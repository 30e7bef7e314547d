-- Switches events off or on while a large demo is loaded, with a function of make_functions.sql.
--
-- $1 action  disable or enable
prepare update_demo_events (text) as
select pg_temp.switch_events($1)::text as switched;
