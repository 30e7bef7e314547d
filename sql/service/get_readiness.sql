-- Whether the database answers, how far it is migrated, and whether writers can commit.
--
-- @not_null takes_writes
prepare get_readiness as
select max(number) as schema_version, takes_writes() as takes_writes
from schema_migrations;
