-- How far the database is migrated, and which one it is: the same text on a primary and its standbys, another one
-- everywhere else. standby: it follows a primary.
prepare get_replica_state as
select max(schema_migrations.number) as schema_version,
  (select pg_control_system.system_identifier || '/' || pg_database.oid
    from pg_control_system(), pg_database
    where pg_database.datname = current_database()) as database,
  pg_is_in_recovery() as standby
from schema_migrations;
