-- The files of functions applied to this database.
prepare list_schema_functions as
select path, sha256, version
from schema_functions
order by path;
