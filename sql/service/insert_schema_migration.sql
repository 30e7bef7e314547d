-- Notes a migration before it is applied, in its transaction. A second process that starts at the same
-- moment waits here and then gets no row: the first one did it.
-- From then on nothing in this transaction waits for a lock longer than 10 s.
--
-- $1 number
-- $2 name
-- $3 sha256  of the file's text, hex
prepare insert_schema_migration (integer, text, text) as
insert into schema_migrations (number, name, sha256)
values ($1, $2, $3)
on conflict do nothing
returning number, set_config('lock_timeout', '10s', true) as lock_timeout;
