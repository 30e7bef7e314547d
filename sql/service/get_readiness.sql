-- Whether the database answers, and how far it is migrated.
prepare get_readiness as
select max(number) as schema_version
from schema_migrations;
