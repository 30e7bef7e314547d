-- Adds the attempts that were recorded since the last time to hook_health; see the function.
--
-- $1 moment? null: the database clock
prepare update_hook_health (timestamptz) as
select update_hook_health(coalesce($1, now())) as touched;
