-- The tables that the command redact goes through, in their order, with about how many rows each has.
--
-- @not_null table_name, about
prepare list_redaction_tables as
select listed.table_name, greatest(pg_class.reltuples, 0)::bigint as about
from personal_tables() as listed
join pg_class on pg_class.oid = listed.table_name::regclass
where listed.texts <> '{}'
order by listed.place desc;
