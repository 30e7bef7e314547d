-- The migrations applied to this database.
prepare list_schema_migrations as
select number, name, sha256
from schema_migrations
order by number;
