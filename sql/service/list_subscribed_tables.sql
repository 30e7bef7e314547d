-- The tables of the workspace that a logical subscription fills: their rows make no events.
--
-- @not_null name
prepare list_subscribed_tables as
select pg_class.relname::text as name
from pg_subscription_rel
join pg_class on pg_class.oid = pg_subscription_rel.srrelid
where pg_class.relnamespace = 'public'::regnamespace
order by name;
