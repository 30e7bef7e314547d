-- The number of the newest migration applied; null: none. And which database this is: the same text on a primary and its
-- standbys, another one everywhere else.
prepare get_readiness as
select max(number) as schema_version,
  (select pg_control_system.system_identifier || '/' || pg_database.oid
    from pg_control_system(), pg_database
    where pg_database.datname = current_database()) as database
from schema_migrations;
