-- Notes files of functions before they are applied, in their transaction; a row for each that has changed. A second
-- process that starts at the same moment waits here and then gets no row: the first one did it. From then on nothing
-- in this transaction waits for a lock longer than 10 s.
--
-- $1 paths
-- $2 sha256s  hex
-- $3 version  of the program
prepare record_schema_functions (text[], text[], text) as
insert into schema_functions (path, sha256, version)
select files.path, files.sha256, $3
from unnest($1, $2) as files (path, sha256)
order by files.path
on conflict (path) do update
  set sha256 = excluded.sha256, version = excluded.version, applied_at = now()
  where schema_functions.sha256 <> excluded.sha256
returning path, set_config('lock_timeout', '10s', true) as lock_timeout;
